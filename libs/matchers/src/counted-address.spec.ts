import { countedAddress } from './counted-address.js';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['64:ff9b::192.0.2.7', '192.0.2.7'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['2001:DB8:0000:1:ffff:2:3:4', '2001:db8:0:1::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s', (address, counted) => {
  expect(countedAddress(address)).toBe(counted);
});

it('two networks of IPv6 are two, and two addresses of one are one', () => {
  expect(countedAddress('2001:db8:0:1::1')).not.toBe(countedAddress('2001:db8:0:2::1'));
  expect(countedAddress('2001:db8:0:1::1')).toBe(countedAddress('2001:db8:0:1:a:b:c:d'));
});

it.each(['', 'no key', 'account alice', 'a:b', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', '1:2:3:4::5:6:7:8', '12345::', 'g::1', '::1.2.3.256', '1.2.3'])(
  '%j is no address of IPv6, and counts as it is',
  (text) => {
    expect(countedAddress(text)).toBe(text);
  },
); // prettier-ignore
