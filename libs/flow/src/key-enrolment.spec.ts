/** Rules of keys that are let in beforehand: whatever does not fit, nothing of that request is written. */
import type { Value } from '@natrium/model';
import type { KeyRecord, KeyState } from './join.js';
import { KeyEnrolment } from './key-enrolment.js';

const keyFrom = (text: string) => (/^[0-9a-f]{64}$/.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : undefined);
const textOf = (key: Uint8Array) => Buffer.from(key).toString('hex');
const hex = (digit: string) => digit.repeat(64);

function record(name: string, digit: string, state: KeyState, kind: KeyRecord['kind'] = 'minion'): KeyRecord {
  const identity = keyFrom(hex(digit)) ?? new Uint8Array();
  return { kind, name, identity, nkey: identity, state, revision: 1 };
}

class Desk {
  readonly written: string[] = [];
  /** For so many more. */
  room = Infinity;

  constructor(
    private readonly records: readonly KeyRecord[] = [],
    /** Who is given another key in that very moment. */
    private readonly raced = '',
  ) {}

  async ask(...args: readonly Value[]): Promise<unknown> {
    const enrolment = new KeyEnrolment({
      records: () => this.records,
      keyFrom,
      textOf,
      room: () => this.room,
      write: ({ kind, name, state, identity }) => {
        if (name === this.raced) return Promise.resolve(undefined);
        this.written.push(`${kind} ${name} ${state} ${textOf(identity).slice(0, 1)}`);
        return Promise.resolve(true);
      },
    });
    const answer = await enrolment.handle(args);
    return answer.ok ? answer.value : answer.error.code;
  }
}

const card = (id: string, digit: string) => ({ id, identity: hex(digit), nkey: hex('f') });

describe('keys that are let in beforehand', () => {
  it('are accepted, many at once, each under its id', async () => {
    const desk = new Desk();
    expect(await desk.ask(card('web1', '1'), card('web2', '2'))).toEqual(['web1', 'web2']);
    expect(desk.written).toEqual(['minion web1 accepted 1', 'minion web2 accepted 2']);
  });

  it('are accepted where they wait, and left as they are where they are accepted', async () => {
    const desk = new Desk([record('web1', '1', 'pending'), record('web2', '2', 'accepted')]);
    expect(await desk.ask(card('web1', '1'), card('web2', '2'))).toEqual(['web1', 'web2']);
    expect(desk.written).toEqual(['minion web1 accepted 1']);
  });

  it('may take a name whose key is gone', async () => {
    const desk = new Desk([record('web1', '1', 'deleted')]);
    expect(await desk.ask(card('web1', '2'))).toEqual(['web1']);
  });

  it.each<readonly [string, readonly KeyRecord[], Value, string]>([
    ['a name that has another accepted key', [record('web1', '2', 'accepted')], card('web1', '1'), 'key_state'],
    ['a key that has another name', [record('web9', '1', 'accepted')], card('web1', '1'), 'key_state'],
    ['a key that was deleted', [record('web1', '1', 'deleted')], card('web1', '1'), 'key_state'],
    ['a key that was rejected', [record('web1', '1', 'rejected')], card('web1', '1'), 'key_state'],
    ['the key of an account', [record('web1', '1', 'accepted', 'account')], card('web1', '1'), 'key_state'],
    ['one name twice', [], card('good', '1'), 'bad_request'],
    ['one key twice', [], card('web1', '0'), 'bad_request'],
    ['a name that is none', [], card('../web1', '1'), 'bad_request'],
    ['a key that is none', [], { ...card('web1', '1'), identity: 'ab' }, 'bad_request'],
    ['no NATS key', [], { id: 'web1', identity: hex('1') }, 'bad_request'],
    ['a word', [], 'web1', 'bad_request'],
  ])('refuse %s, and write nothing of the request', async (_about, records, bad, code) => {
    const desk = new Desk(records);
    expect(await desk.ask(card('good', '0'), bad)).toBe(code);
    expect(desk.written).toEqual([]);
  });

  it('are refused, all of the request, where there is no room for each that is not accepted yet', async () => {
    const desk = new Desk([record('web1', '1', 'accepted'), record('web2', '2', 'pending')]);
    const asked = [card('web1', '1'), card('web2', '2'), card('web3', '3')];
    for (const room of [1, 0, -1]) {
      desk.room = room;
      expect(await desk.ask(...asked)).toBe('join_full');
    }
    expect(desk.written).toEqual([]);
    desk.room = 2;
    expect(await desk.ask(...asked)).toEqual(['web1', 'web2', 'web3']);
    desk.room = 0;
    expect(await desk.ask(card('web1', '1'))).toEqual(['web1']);
  });

  it('tell of a race that was lost', async () => {
    expect(await new Desk([], 'web2').ask(card('web1', '1'), card('web2', '2'))).toBe('key_state');
  });
});
