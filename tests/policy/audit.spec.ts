/** Somebody who holds the audit's storage key changes what is recorded: `natriumctl audit verify` names it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readServiceConfig } from '@natrium/edge';
import { sealStored } from '@natrium/envelope';
import { until } from '@natrium/testing';
import { contracts } from '@natrium/wire';
import { apps } from '../hostile/apps.js';
import { AuditWorld, edited, type Kept } from './audit-world.js';

let world: AuditWorld;
let chain: string;

beforeAll(async () => {
  world = await AuditWorld.start();
  // Together in one group or in several: both have to hold.
  await Promise.all(Array.from({ length: 6 }, () => world.decide('test.ping')));
  for (let n = 0; n < 6; n += 1) await world.decide(n % 2 === 0 ? 'test.ping' : 'cmd.run');
  chain = (await world.kept())[0]?.record.chain ?? '';
});
afterAll(() => world.stop());

/** Milliseconds after its first record, of which it has 200 to be written. */
const GROWN_MS = 1500;

const INTACT = /^intact: \d+ records in 1 chains, 1 signed heads, /;

async function at(number: number): Promise<Kept> {
  const found = (await world.kept()).find(({ record }) => record.number === number);
  if (found === undefined) throw new Error(`there is no record ${String(number)}`);
  return found;
}

/** The findings while a group is changed; then it is put back, and the audit is intact again. */
async function foundWhile(
  key: string,
  rewrite: (records: readonly Uint8Array[]) => readonly Uint8Array[],
): Promise<readonly string[]> {
  // A group that still grows is written again as a whole.
  const began = (await world.kept()).find((one) => one.key === key)?.record.time ?? 0;
  await until('the group has grown', () => Date.now() > began + GROWN_MS);
  const putBack = await world.rewrite(key, rewrite);
  const { code, lines } = await world.audit('verify');
  await putBack();
  expect(code).toBe(1);
  expect((await world.audit('verify')).code).toBe(0);
  return lines.slice(0, -1).map((line) => line.split(': ').slice(0, 2).join(': '));
}

/** A group of at least two records; what is decided at the same time comes into one, sooner or later. */
function aLargeGroup(): Promise<readonly [Kept, Kept]> {
  return until('a group has two records', async () => {
    const kept = await world.kept();
    const second = kept.find(({ index }) => index === 1);
    const first = kept.find(({ key, index }) => key === second?.key && index === 0);
    if (first !== undefined && second !== undefined) return [first, second] as const;
    await Promise.all([world.decide('test.ping'), world.decide('test.ping')]);
    return undefined;
  });
}

// First: a group that somebody has put back stands last in the stream.
it('its tail shows as many records as are asked for, the last ones, also of groups that hold more', async () => {
  const kept = await world.kept();
  // From the second record of a group on.
  const from = kept.findIndex(({ key }, at) => key === kept[at - 1]?.key);
  expect(from).toBeGreaterThan(0);
  const { lines } = await world.audit('tail', { last: kept.length - from, json: true });
  const shown = lines.map((line) => (JSON.parse(line) as { readonly number: number }).number);
  expect(shown).toEqual(kept.slice(from).map(({ record }) => record.number));
});

describe('the audit of a cluster', () => {
  it('is intact, and every decision is in it with the policy that decided', async () => {
    const { code, lines } = await world.audit('verify');
    expect({ code, lines: lines.length }).toEqual({ code: 0, lines: 1 });
    expect(lines[0]).toMatch(INTACT);
    const kept = await world.kept();
    expect(kept.filter(({ record }) => record.what === 'grant')).toHaveLength(9);
    expect(kept.filter(({ record }) => record.what === 'refusal')).toHaveLength(3);
    for (const { record } of kept.filter(({ record: { what } }) => what === 'grant' || what === 'refusal')) {
      expect(record.detail['policy']).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('shows its last records, for people and for programs', async () => {
    const people = await world.audit('tail');
    expect(
      people.lines.filter((line) => line.includes('  refuse  minion web1.example.com  cmd.run on *  not_permitted  [')),
    ).toHaveLength(3);
    const programs = await world.audit('tail', { json: true, last: 1 });
    expect(JSON.parse(programs.lines[0] ?? '')).toMatchObject({
      chain,
      verdict: expect.stringMatching(/allow|refuse/) as string,
    });
  });

  it('is followed until Ctrl-C, which is 130', async () => {
    const { code, lines } = await world.follow(1);
    expect({ code, lines: lines.length }).toEqual({ code: 130, lines: 1 });
  });

  it('names a record that was edited', async () => {
    const { key, index, record } = await at(4);
    const found = await foundWhile(key, (list) =>
      list.map((bytes, n) => (n === index ? edited(bytes, { verdict: 'allow', rule: 'peer' }) : bytes)),
    );
    expect(found).toEqual([`edited: chain ${chain}, record ${String(record.number)}`]);
  });

  it('says of a record that no answer carries that it could not be read, and reads on behind it', async () => {
    const { key, index, record } = await at(4);
    const large = { ...record.detail, text: 'x'.repeat(6 << 20) };
    const found = await foundWhile(key, (list) =>
      list.map((bytes, n) => (n === index ? edited(bytes, { detail: large }) : bytes)),
    );
    expect(found).toEqual([`unread: chain ${chain}, record ${String(record.number)}`]);
  });

  it('names a record that was deleted', async () => {
    const [, second] = await aLargeGroup();
    const found = await foundWhile(second.key, (list) => list.filter((_, n) => n !== second.index));
    expect(found).toEqual([`missing: chain ${chain}, record ${String(second.record.number)}`]);
  });

  it('names the records of a group that was deleted', async () => {
    const [first] = await aLargeGroup();
    expect(await foundWhile(first.key, () => [])).toEqual([
      `missing: chain ${chain}, record ${String(first.record.number)}`,
    ]);
  });

  it('names a record that was put in another place', async () => {
    const [first] = await aLargeGroup();
    const found = await foundWhile(first.key, ([a, b, ...rest]) =>
      a === undefined || b === undefined ? [] : [b, a, ...rest],
    );
    expect(found).toEqual([`reordered: chain ${chain}, record ${String(first.record.number)}`]);
  });

  it('names records that somebody without the key has overwritten', async () => {
    const { key } = await at(4);
    const wrong = { id: 'none', key: new Uint8Array(32) };
    const before = await world.store.get(key);
    const { transport } = world.gateway.link;
    transport.publish(`$KV.NT_main_audit.${key}`, sealStored(wrong, `NT_main_audit/${key}`, new Uint8Array(8)));
    await transport.flush();
    const { code, lines } = await world.audit('verify');
    expect({ code, first: lines[0] }).toEqual({ code: 1, first: expect.stringMatching(/^missing: chain/) as string });
    await world.store.put(key, before?.value ?? new Uint8Array());
    expect((await world.audit('verify')).code).toBe(0);
  });

  it('names every refusal: also of a request that no gate has seen', async () => {
    const count = async () => (await world.kept()).filter(({ record }) => record.what === 'refusal').length;
    const before = await count();
    const stranger = await world.cluster.session(world.cluster.minion('web1.example.com').link.identity);
    stranger.bus.converse(
      {
        contract: contracts.admin,
        body: { request: new Uint8Array(3), signature: new Uint8Array(64) },
        subject: stranger.subjects.usrAcl(stranger.own.fp, 'admin'),
        to: () => stranger.services('acl'),
      },
      contracts.adminDone,
      3000,
      { onAnswer: () => 'done', onFailure: () => undefined },
    );
    await until('the refusal is recorded', async () => (await count()) > before);
    expect((await world.audit('verify')).code).toBe(0);
    expect(await count()).toBe(before + 1);
  });
});

describe('an exported audit', () => {
  const file = () => join(world.cluster.folder, 'audit.jsonl');
  const change = (name: string, rewrite: (lines: readonly string[]) => readonly string[]) => {
    const path = join(world.cluster.folder, name);
    writeFileSync(path, rewrite(readFileSync(file(), 'utf8').split('\n')).join('\n'));
    return world.audit('verify', { file: path });
  };

  beforeAll(async () => {
    expect((await world.audit('export', { file: file() })).code).toBe(0);
  });

  it('is intact, without the cluster', async () => {
    const { code, lines } = await world.audit('verify', { file: file(), configDir: '/nowhere' });
    expect({ code, line: lines[0] }).toEqual({ code: 0, line: expect.stringMatching(INTACT) as string });
  });

  it('goes only where it can be written', async () => {
    const nowhere = join(file(), 'below');
    const why = `${nowhere}: cannot write it: ${file()} is no folder`;
    await expect(world.audit('export', { file: nowhere })).rejects.toThrow(why);
  });

  it('loses no line unnoticed', async () => {
    const lost = await change('lost.jsonl', (lines) => lines.filter((line) => !line.includes('"number":5,')));
    expect(lost).toMatchObject({
      code: 1,
      lines: [expect.stringMatching(/^missing: chain \w+, record 5: is missing/), expect.anything()],
    });
  });

  it('keeps its order', async () => {
    const moved = await change('moved.jsonl', ([first = '', a = '', b = '', ...rest]) => [first, b, a, ...rest]);
    expect(moved).toMatchObject({
      code: 1,
      lines: [expect.stringMatching(/^reordered: chain \w+, record 0: is kept after record 1/), expect.anything()],
    });
  });

  it('shows a cut tail by its signed heads', async () => {
    const cut = await change('cut.jsonl', (lines) => lines.filter((line) => !/"number":\d\d/.test(line)));
    expect(cut).toMatchObject({
      code: 1,
      lines: [
        expect.stringMatching(/^cut: chain \w+, record 10: and all after it was cut off: the head/),
        expect.anything(),
      ],
    });
  });

  it.each([
    ['', /it does not begin with the roles/],
    ['no json', /line 1 is no JSON/],
    ['{"x":1}', /line 1 is none of/],
  ])('%j is none, and that is a finding', async (text, sentence) => {
    const { code, lines } = await change('none.jsonl', () => [text]);
    expect({ code, said: lines.join() }).toEqual({ code: 1, said: expect.stringMatching(sentence) as string });
  });
});

describe('a cut tail', () => {
  const heads = (line: string) => line.startsWith('{"head"');
  const exported = async (name: string, keeps: (line: string) => boolean) => {
    const path = join(world.cluster.folder, name);
    expect((await world.audit('export', { file: path })).code).toBe(0);
    writeFileSync(path, readFileSync(path, 'utf8').split('\n').filter(keeps).join('\n'));
    return path;
  };

  it('is a gap in the chain of a service that goes on', async () => {
    const kept = await world.kept();
    const key = kept.at(-1)?.key ?? '';
    const found = await foundWhile(key, () => []);
    const first = kept.find((one) => one.key === key)?.record.number;
    expect(found).toEqual([`missing: chain ${chain}, record ${String(first)}`]);
  });

  it('shows by a grant in the job cache', async () => {
    const { grant } = await world.decide('test.ping');
    await world.keepJob(grant);
    const number = (await world.kept()).at(-1)?.record.number ?? 0;
    const isLater = (line: string) => line.includes(`"number":${String(number)},`);
    const file = await exported(
      'grant.jsonl',
      (line) => !heads(line) && !isLater(line) && !line.includes(`"number":${String(number + 1)},`),
    );
    const { code, lines } = await world.audit('verify', { file });
    expect({ code, line: lines[0] }).toEqual({
      code: 1,
      line: expect.stringMatching(
        `^cut: chain ${chain}, record ${String(number)}: and all after it was cut off: the grant for job \\d{20}`,
      ) as string,
    });
  });

  it('shows by a head that survives in the log of a service; without it nobody could know', async () => {
    const log: string[] = [];
    const another = await apps.openAcl(readServiceConfig(join(world.cluster.folder, 'master')), (line) =>
      log.push(line),
    );
    await another.close();
    const own = /"chain":"(\w+)"/.exec(log.find((line) => line.includes('"auditHead"')) ?? '')?.[1] ?? '';
    expect(own).not.toBe('');
    const file = await exported('head.jsonl', (line) => !heads(line) && !line.includes(`"chain":"${own}"`));
    expect((await world.audit('verify', { file })).code).toBe(0);
    writeFileSync(join(world.cluster.folder, 'acl.log'), log.join(''));
    const { code, lines } = await world.audit('verify', { file, heads: join(world.cluster.folder, 'acl.log') });
    expect({ code, line: lines[0] }).toEqual({
      code: 1,
      line: expect.stringMatching(
        `^cut: chain ${own}, record 0: and the whole chain with it was cut off: the head that was signed at`,
      ) as string,
    });
  });

  it('shows by the next service’s first record, which names where the others ended', async () => {
    await world.decide('test.ping'); // a grant is stored before it is given, and with it all that was recorded before
    const another = await apps.openAcl(readServiceConfig(join(world.cluster.folder, 'master')), () => undefined);
    await another.close();
    const last = (await world.kept()).filter(({ record }) => record.chain === chain).at(-1)?.record.number ?? 0;
    const file = await exported(
      'next.jsonl',
      (line) =>
        !heads(line) && !line.startsWith('{"grant"') && !line.includes(`"chain":"${chain}","number":${String(last)},`),
    );
    const { code, lines } = await world.audit('verify', { file });
    // What the export itself was recorded as came later, and is the last of this chain.
    expect({ code, line: lines[0] }).toEqual({
      code: 1,
      line: expect.stringMatching(`chain ${chain}, record ${String(last)}`) as string,
    });
  });
});
