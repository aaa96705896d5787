import type { Value } from '@natrium/model';
import { aCall, call, named } from '../testing/call-context.js';

describe('grains.*', () => {
  it.each([
    [['os'], 'Debian'],
    [['nope'], ''],
    [['nope', 'fallback'], 'fallback'],
    [['pkg:apache:0'], 'httpd'],
    [['pkg:apache:port'], 80],
    [['pkg|apache|1|port', named({ delimiter: '|' })], 80],
    [['pkg|apache|1|port', 'fallback', '|'], 80],
    [['pkg|apache|1|port', 'fallback', '|', false], 80],
    [['pkg|apache|1|port', 'fallback', ':'], 'fallback'],
    [['os:x'], ''],
    [['constructor'], ''],
    [['flat:key'], ''],
    [['ports:443'], 'https'],
    [['ports:1'], { 443: 'https' }],
    [['ports:-1'], { 443: 'https' }],
    [['ports:7'], ''],
  ])('grains.get %j', async (sent, ret) => {
    const grains = () => ({ ...aCall().grains(), 'flat:key': 1, ports: [{ 80: 'http' }, { 443: 'https' }] });
    for (const fun of ['grains.get', 'grains.fetch']) expect((await call(fun, sent, { grains })).ret).toEqual(ret);
  });

  it('a grain that is null is there', async () => {
    const grains = () => ({ none: null });
    expect((await call('grains.get', ['none', 'fallback'], { grains })).ret).toBeNull();
    expect((await call('grains.item', ['none', named({ default: 7 })], { grains })).ret).toEqual({ none: null });
  });

  it('tells all, some, names, and whether there is something', async () => {
    expect((await call('grains.items')).ret).toMatchObject({ os: 'Debian' });
    expect((await call('grains.items', [named({ sanitize: true })])).ret).toMatchObject({
      id: 'MINION.DOMAINNAME',
      os: 'Debian',
    });
    expect((await call('grains.item', ['os', 'nope'])).ret).toEqual({ os: 'Debian', nope: '' });
    expect((await call('grains.item', ['pkg|apache|0', named({ delimiter: '|' })])).ret).toEqual({
      'pkg|apache|0': 'httpd',
    });
    expect((await call('grains.item', ['id', 'os', named({ sanitize: true })])).ret).toEqual({
      id: 'MINION.DOMAINNAME',
      os: 'Debian',
    });
    expect((await call('grains.item', ['nope', named({ default: 7 })])).ret).toEqual({ nope: 7 });
    expect((await call('grains.ls')).ret).toEqual(['id', 'os', 'pkg']);
    expect((await call('grains.has_value', ['pkg:apache'])).ret).toBe(true);
    expect((await call('grains.has_value', ['pkg:nginx'])).ret).toBe(false);
    expect((await call('grains.equals', ['os', 'Debian'])).ret).toBe(true);
  });

  it('has a value that is empty, null or false as it has any other, and knows None by its name', async () => {
    const grains = () => ({ none: null, off: false, empty: '', map: {} });
    const told = async (fun: string, ...sent: Value[]) => (await call(`grains.${fun}`, sent, { grains })).ret;
    for (const name of ['none', 'off', 'empty', 'map']) expect(await told('has_value', name)).toBe(true);
    for (const name of ['other', 'map:x', 'off:x']) expect(await told('has_value', name)).toBe(false);
    expect(await told('equals', 'none', null)).toBe(true);
    expect(await told('equals', 'none', '')).toBe(false);
    expect(await told('equals', 'other', '')).toBe(true);
  });

  it('hides as Salt hides, and no other grain', async () => {
    const grains = () => ({
      serialnumber: 'ABCDEFGHI',
      domain: 'a.org',
      fqdn: 'w.a.org',
      host: 'w',
      uuid: 'x-y',
      kernel: 'Linux',
    });
    expect((await call('grains.items', [true], { grains })).ret).toEqual({
      serialnumber: 'ABCDEFXXX',
      domain: 'DOMAINNAME',
      fqdn: 'MINION.DOMAINNAME',
      host: 'MINION',
      uuid: 'MINION',
      kernel: 'Linux',
    });
    expect((await call('grains.items', [], { grains })).ret).toEqual(grains());
  });
});
