/** Rules of decisions about many keys: as many requests as they need, and none after one that is refused. */
import { refusal, type Result, type Refusal, type Value } from '@natrium/model';
import { keyPort } from './key-port.js';

class Authority {
  readonly sizes: number[] = [];

  constructor(private readonly refusesAfter = Number.POSITIVE_INFINITY) {}

  admin(_what: string, _fun: string, args: readonly Value[]): Promise<Result<Value, Refusal>> {
    if (this.sizes.length >= this.refusesAfter)
      return Promise.resolve({ ok: false, error: refusal('key_state', 'somebody was faster') });
    this.sizes.push(args.length);
    return Promise.resolve({ ok: true, value: args.map((arg) => (arg as { readonly id: string }).id) });
  }
}

const keys = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `m${String(at)}`, fingerprint: 'aa' }));

describe('many keys at once', () => {
  it('go in requests of at most 256, and all that were decided are told', async () => {
    const authority = new Authority();
    const answer = await keyPort(authority, '').accept(keys(600));
    expect(authority.sizes).toEqual([256, 256, 88]);
    expect(answer).toEqual({ ok: true, value: keys(600).map(({ id }) => id) });
  });

  it('of which one request is refused: no further one is sent', async () => {
    const authority = new Authority(1);
    expect(await keyPort(authority, '').accept(keys(600))).toMatchObject({ ok: false, error: { code: 'key_state' } });
    expect(authority.sizes).toEqual([256]);
  });

  it('that are none ask for nothing', async () => {
    const authority = new Authority();
    expect(await keyPort(authority, '').accept([])).toEqual({ ok: true, value: [] });
    expect(authority.sizes).toEqual([]);
  });
});
