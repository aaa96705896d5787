/** Rules of spec/targeting.md#ipcidr. */
import { parseAddress, parseNetwork } from './address.js';

describe('an address', () => {
  it.each([
    ['10.0.0.5', '10.0.0.5'],
    ['2001:0DB8::11', '2001:db8::11'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::ffff:1.2.3.4', '::ffff:102:304'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['0:0:0:0:0:0:0:0', '::'],
  ])('%s is written %s', (text, normal) => {
    expect(parseAddress(text)?.text).toBe(normal);
  });

  it.each(['010.0.0.5', '10.0.0', '10.0.0.256', '10.0.0.5 ', '1::2::3', '12345::', '::1%', '', '1:2:3:4:5:6:7'])(
    '%j is none',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );
});

describe('a network', () => {
  it.each([
    ['10.0.0.0/24', '10.0.0.255', true],
    ['10.0.0.0/24', '10.0.1.0', false],
    ['10.0.0.0/0000024', '10.0.0.255', true],
    ['10.0.0.0/0000024', '10.0.1.0', false],
    ['10.0.0.0/255.255.255.0', '10.0.0.9', true],
    ['10.0.0.0/0.0.0.255', '10.0.0.9', true],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['10.0.0.5/32', '10.0.0.5', true],
    ['2001:db8::/32', '2001:db8:1::22', true],
    ['2001:db8::/32', '10.0.0.1', false],
    ['::/0', 'no address', false],
  ])('%s holds %s: %s', (network, address, expected) => {
    expect(parseNetwork(network)?.contains(address)).toBe(expected);
  });

  it.each([
    '10.0.0.5/24',
    '10.0.0.0/33',
    '10.0.0.0/255.0.255.0',
    '10.0.0.0',
    '10.0.0.0/8/8',
    '2001:db8::/129',
    '2001:db8::1/64',
  ])('%s is none', (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  });
});
