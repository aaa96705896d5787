import { float, type Value } from '@natrium/model';
import { call, named } from '../testing/call-context.js';

const whole = { role: 'web', db: { user: 'app', ports: [5432, { tls: true }] }, ratio: 0.5 };

describe('pillar.*', () => {
  it.each([
    ['pillar.items', [], whole],
    ['pillar.items', [named({ pillarenv: 'base' })], whole],
    ['pillar.items', ['role', 'db:user', 'nope'], { role: 'web', 'db:user': 'app', nope: '' }],
    ['pillar.data', ['role'], { role: 'web' }],
    ['pillar.ls', ['db:user'], ['db:user']],
    ['pillar.obfuscate', ['role'], { role: '<str>' }],
    ['pillar.data', [], whole],
    ['pillar.raw', [], whole],
    ['pillar.raw', ['role'], 'web'],
    ['pillar.raw', ['db:user'], {}],
    ['pillar.raw', ['constructor'], {}],
    ['pillar.ls', [], ['role', 'db', 'ratio']],
    ['pillar.keys', ['db'], ['user', 'ports']],
    ['pillar.get', ['role'], 'web'],
    ['pillar.get', ['db:ports:1:tls'], true],
    ['pillar.get', ['db/user', named({ delimiter: '/' })], 'app'],
    ['pillar.get', ['db/user', '', false, null, '/', 'base', 'base'], 'app'],
    ['pillar.get', ['role', named({ merge: false, pillarenv: null, saltenv: 'base' })], 'web'],
    ['pillar.get', ['nope'], ''],
    ['pillar.fetch', ['db:ports:1:tls'], true],
    ['pillar.fetch', ['nope', 'fallback'], 'fallback'],
    ['pillar.get', ['nope', 'fallback'], 'fallback'],
    ['pillar.get', ['__proto__'], ''],
    ['pillar.item', ['role', 'db:user', 'nope'], { role: 'web', 'db:user': 'app', nope: '' }],
    ['pillar.item', ['nope', named({ default: 7 })], { nope: 7 }],
  ])('%s %j', async (fun, sent, ret) => {
    expect((await call(fun, sent)).ret).toEqual(ret);
  });

  it('says what it does not do in the place of doing something else', async () => {
    const said = async (...words: Value[]) => (await call('pillar.get', words)).ret;
    expect(await said('db', { user: 'x' }, true)).toMatch(/merge is not built/);
    expect(await said('db', named({ pillarenv: 'dev' }))).toMatch(/there is no pillar of dev alone/);
    expect(await said('db', named({ saltenv: 'dev' }))).toMatch(/there is no pillar of dev alone/);
  });

  it('a value that is null is there', async () => {
    const pillar = () => ({ a: { none: null } });
    expect((await call('pillar.get', ['a:none', 'fallback'], { pillar })).ret).toBeNull();
    expect((await call('pillar.item', ['a:none', named({ default: 7 })], { pillar })).ret).toEqual({ 'a:none': null });
  });

  it('shows kinds in the place of values', async () => {
    const pillar = () => ({ ...whole, none: null, whole: float(1), big: 2n ** 70n });
    const { ret } = await call('pillar.obfuscate', [], { pillar });
    expect(ret).toEqual({
      role: '<str>',
      db: { user: '<str>', ports: ['<int>', { tls: '<bool>' }] },
      ratio: '<float>',
      none: '<NoneType>',
      whole: '<float>',
      big: '<int>',
    });
  });

  it('says what is not there, and what is no map', async () => {
    expect(await call('pillar.keys', ['nope'])).toMatchObject({ ret: 'ERROR: Pillar key not found: nope', retcode: 1 });
    expect(await call('pillar.keys', ['role'])).toMatchObject({ retcode: 1 });
  });

  it('is empty without a master', async () => {
    expect((await call('pillar.items', [], { pillar: undefined })).ret).toEqual({});
  });
});
