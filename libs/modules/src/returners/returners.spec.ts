/** Rules of the returners `webhook` and `multi`, the first against a real HTTP server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebhookReceiver } from '@natrium/testing';
import type { Returner, ReturnFacts } from './returner.js';
import { Returners } from './returners.js';
import { webhookReturner } from './webhook.js';

const RET: ReturnFacts = {
  id: 'web1.example.com',
  jid: '20261121120000000001',
  fun: 'test.ping',
  fun_args: [],
  return: true,
  retcode: 0,
  success: true,
  out: null,
  tgt: '*',
  tgt_type: 'glob',
  user: 'root',
};

const context = { id: RET.id, jid: RET.jid, config: {}, options: {}, signal: new AbortController().signal };

describe('webhook', () => {
  let folder: string;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'natrium-webhook-'));
    receiver = await WebhookReceiver.open();
    writeFileSync(join(folder, 'secret'), `${receiver.secret}\n`);
  });
  afterEach(async () => {
    await receiver.close();
    rmSync(folder, { recursive: true });
  });

  const post = (secret = 'secret', url = receiver.url) =>
    webhookReturner({ url, secretFile: join(folder, secret) }, [1, 1]).take(RET, context);

  it('posts a return as JSON, signed, under an id of job and minion', async () => {
    await post();
    const id = '20261121120000000001%2Fweb1%2Eexample%2Ecom';
    expect(receiver.all).toEqual([{ id, idempotencyKey: id, isSigned: true, body: RET, status: 204 }]);
  });

  it('posts again, under the same id, what was not taken', async () => {
    receiver.answers.push(503, 429);
    await post();
    expect(receiver.all.map(({ status }) => status)).toEqual([503, 429, 204]);
    expect(new Set(receiver.all.map(({ id }) => id)).size).toBe(1);
  });

  it('gives up after the last attempt', async () => {
    receiver.answers.push(500, 500, 500);
    await expect(post()).rejects.toThrow('the answer was 500');
    expect(receiver.all).toHaveLength(3);
  });

  it('does not post again what is refused for good, and follows no redirect', async () => {
    receiver.answers.push(422);
    await expect(post()).rejects.toThrow('the answer was 422');
    expect(receiver.all).toHaveLength(1);
    receiver.answers.push(307, 307, 307);
    await expect(post()).rejects.toThrow('the answer was 307');
  });

  it('posts nothing without a key that can sign, or without an address', async () => {
    writeFileSync(join(folder, 'short'), 'whsec_c2hvcnQ=\n');
    await expect(post('short')).rejects.toThrow('does not hold whsec_ and a key of 24 bytes');
    await expect(post('missing')).rejects.toThrow('ENOENT');
    await expect(post('secret', '')).rejects.toThrow('webhook_url is not set');
    expect(receiver.all).toEqual([]);
  });
});

describe('multi', () => {
  const taken: string[] = [];
  const problems: string[] = [];
  const aReturner = (name: string): Returner => ({
    name,
    take: () => {
      taken.push(name);
      return Promise.resolve();
    },
  });
  const returners = (multi: readonly string[]) =>
    new Returners(['first', 'second', 'third'].map(aReturner), {
      multi,
      context: { id: RET.id, config: {} },
      onProblem: (sentence) => problems.push(sentence),
    });
  beforeEach(() => {
    taken.length = 0;
    problems.length = 0;
  });

  it('hands a return to each of multi_returner once, and to no other', () => {
    returners(['first', 'second']).hand('multi, second', RET, {});
    expect([...taken].sort()).toEqual(['first', 'second']);
    expect(problems).toEqual([]);
  });

  it('names as unknown what no returner has, before anything is handed over', () => {
    expect(returners([]).unknown('first, absent,multi,gone')).toEqual(['absent', 'gone']);
    expect(taken).toEqual([]);
  });

  it('names as unknown what the user’s own module of that name cannot take', () => {
    const made = returners([]);
    made.use([{ name: 'first', functions: {} }]);
    expect(made.unknown('first,second')).toEqual(['first']);
    expect(made.names).toEqual(['multi', 'second', 'third']);
  });

  it('reads a comma too many as nobody', () => {
    expect(returners([]).unknown('first,')).toEqual([]);
    returners([]).hand(',first, ,', RET, {});
    expect({ taken, problems }).toEqual({ taken: ['first'], problems: [] });
  });

  it('says so when it stands for none, or for one that is not there', () => {
    returners([]).hand('multi', RET, {});
    returners(['first', 'absent']).hand('multi', RET, {});
    expect(taken).toEqual(['first']);
    expect(problems).toEqual([
      'a return was not taken by the returner multi: multi_returner names none',
      'a return was not taken by the returner absent: there is no returner of this name',
    ]);
  });
});

describe('returns that wait for a returner that hangs', () => {
  const release: (() => void)[] = [];
  const problems: { readonly why: string; readonly failures: number }[] = [];
  const made = () =>
    new Returners([{ name: 'hangs', take: () => new Promise((resolve) => release.push(resolve)) }], {
      multi: [],
      context: { id: RET.id, config: {} },
      onProblem: (why, { failures }) => problems.push({ why, failures }),
    });
  const hand = (to: Returners, count: number, text = '') => {
    for (let n = 0; n < count; n += 1) to.hand('hangs', { ...RET, return: text }, {});
  };
  const MIB = 'x'.repeat(1 << 20);
  beforeEach(() => {
    release.length = 0;
    problems.length = 0;
  });

  it('are not more than 64 MiB; the rest is dropped, told and counted', () => {
    const returners = made();
    hand(returners, 100, MIB);
    const kept = 4 + 63; // four are being taken; of the others each is a little more than a mebibyte
    expect(returners.failures).toBe(100 - kept);
    expect(problems.at(-1)).toEqual({
      why: 'a return was not taken by the returner hangs: too many returns wait for it',
      failures: 100 - kept,
    });
  });

  it('have room again when one that waited is taken', async () => {
    const returners = made();
    hand(returners, 67, MIB);
    expect(returners.failures).toBe(0);
    hand(returners, 1, MIB);
    expect(returners.failures).toBe(1);
    release[0]?.();
    await new Promise(setImmediate);
    expect(release).toHaveLength(5);
    hand(returners, 1, MIB);
    expect(returners.failures).toBe(1);
  });

  it('are not more than ten thousand, however small they are', () => {
    const returners = made();
    hand(returners, 10_010);
    expect(returners.failures).toBe(6);
  });
});
