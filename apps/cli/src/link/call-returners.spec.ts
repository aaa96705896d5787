/** Rules of `natrium-call --return`, with real files. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMinionConfig, type MinionConfig } from '@natrium/config';
import type { CallOutcome } from '../ports.js';
import { alsoReturned } from './call-returners.js';

const PONG: CallOutcome = { ret: { n: 3n }, retcode: 0, success: true, notes: [] };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'call-returners-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function configOf(text = ''): MinionConfig {
  writeFileSync(join(folder, 'minion'), `id: web1\nroot_dir: ${folder}\nlocal_file: ${folder}/returns.jsonl\n${text}`);
  const loaded = loadMinionConfig(folder);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value.config;
}

async function returned(returner: string | undefined, outcome = PONG, config = configOf()) {
  let calls = 0;
  const asked = {
    fun: 'test.arg',
    args: [1, { __kwarg__: true, k: 'v' }],
    returner,
    hostPath: join(folder, 'none.mjs'),
  };
  const answer = await alsoReturned(config, asked, () => {
    calls += 1;
    return Promise.resolve(outcome);
  });
  return { calls, answer };
}
const written = () =>
  readFileSync(join(folder, 'returns.jsonl'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as unknown); // prettier-ignore

describe('natrium-call --return', () => {
  it('hands the answer over before the command ends', async () => {
    const { calls, answer } = await returned('local_file');
    expect({ calls, answer }).toEqual({ calls: 1, answer: { ...PONG, untaken: [] } });
    expect(written()).toEqual([
      expect.objectContaining({
        id: 'web1',
        fun: 'test.arg',
        fun_args: [1, { k: 'v' }],
        return: { n: 3 },
        success: true,
      }),
    ]);
  });

  it('hands nothing over without it', async () => {
    expect((await returned(undefined)).answer).toEqual(PONG);
    expect(existsSync(join(folder, 'returns.jsonl'))).toBe(false);
  });

  it('refuses a name that no returner has before anything runs', async () => {
    const { calls, answer } = await returned('local_file,nosuch');
    expect(calls).toBe(0);
    expect(answer.refusal?.sentence).toBe(
      'there is no returner nosuch on this host, so nothing was run; there are local_file, multi, webhook',
    );
    expect(existsSync(join(folder, 'returns.jsonl'))).toBe(false);
  });

  it('reads a comma too many as nobody', async () => {
    const { calls, answer } = await returned('local_file,');
    expect({ calls, answer }).toEqual({ calls: 1, answer: { ...PONG, untaken: [] } });
    expect(written()).toHaveLength(1);
  });

  it('tells which returner took nothing', async () => {
    mkdirSync(join(folder, 'returns.jsonl'));
    const { answer } = await returned('local_file');
    expect(answer.untaken).toEqual([expect.stringContaining('a return was not taken by the returner local_file: ')]);
  });

  describe('beside a file of returner_dirs that cannot be used', () => {
    const withBroken = () => {
      mkdirSync(join(folder, 'own'));
      writeFileSync(join(folder, 'own', 'broken.mjs'), 'this is no program');
      return configOf(`returner_dirs: [${join(folder, 'own')}]\n`);
    };

    it('another returner takes the return, and nothing is said', async () => {
      expect((await returned('local_file', PONG, withBroken())).answer).toEqual({ ...PONG, untaken: [] });
      expect(written()).toHaveLength(1);
    });

    it('a name that nobody has is refused with the note that may be the reason', async () => {
      const { calls, answer } = await returned('broken', PONG, withBroken());
      expect(calls).toBe(0);
      expect(answer.refusal?.sentence).toMatch(/^there is no returner broken on this host, so nothing was run/);
      expect(answer.notes).toEqual([expect.stringContaining(join(folder, 'own', 'broken.mjs'))]);
    });
  });

  it('hands nothing over of what was refused', async () => {
    const refused = { ...PONG, refusal: { code: 'not_permitted', sentence: 'no' } } as CallOutcome;
    expect((await returned('local_file', refused)).answer).toBe(refused);
    expect(existsSync(join(folder, 'returns.jsonl'))).toBe(false);
  });
});
