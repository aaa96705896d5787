import { call, named } from '../testing/call-context.js';

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
  ])('grains.get %j', async (sent, ret) => {
    expect((await call('grains.get', sent)).ret).toEqual(ret);
  });

  it('a grain that is null is there', async () => {
    const grains = () => ({ none: null });
    expect((await call('grains.get', ['none', 'fallback'], { grains })).ret).toBeNull();
    expect((await call('grains.item', ['none', named({ default: 7 })], { grains })).ret).toEqual({ none: null });
  });

  it('tells all, some, names, and whether there is something', async () => {
    expect((await call('grains.items')).ret).toMatchObject({ os: 'Debian' });
    expect((await call('grains.items', [named({ sanitize: true })])).ret).toMatchObject({ id: 'MINION', os: 'Debian' });
    expect((await call('grains.item', ['os', 'nope'])).ret).toEqual({ os: 'Debian', nope: '' });
    expect((await call('grains.item', ['pkg|apache|0', named({ delimiter: '|' })])).ret).toEqual({
      'pkg|apache|0': 'httpd',
    });
    expect((await call('grains.item', ['id', 'os', named({ sanitize: true })])).ret).toEqual({
      id: 'MINION',
      os: 'Debian',
    });
    expect((await call('grains.item', ['nope', named({ default: 7 })])).ret).toEqual({ nope: 7 });
    expect((await call('grains.ls')).ret).toEqual(['id', 'os', 'pkg']);
    expect((await call('grains.has_value', ['pkg:apache'])).ret).toBe(true);
    expect((await call('grains.has_value', ['pkg:nginx'])).ret).toBe(false);
    expect((await call('grains.equals', ['os', 'Debian'])).ret).toBe(true);
  });
});
