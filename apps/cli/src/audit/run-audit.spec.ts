/** Files that the command line names. What is found in a running cluster and in an exported file: tests/policy/audit.spec.ts. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CtlPorts } from '../natriumctl/ctl-ports.js';
import { runNatriumctl } from '../natriumctl/run-ctl.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { headsInLog, writeAudit } from './audit-file.js';
import { exported, runAudit } from './run-audit.js';

describe('a file of natriumctl audit', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'natrium-audit-'));
    writeFileSync(join(folder, 'words'), 'hello\n');
    writeFileSync(join(folder, 'forged'), '{"audit": 1, "roles": "AAAA"}\n');
    writeFileSync(join(folder, 'empty'), '');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['none', 'there is no such file'],
    ['words/none', 'there is no such file'],
    ['.', 'this is a folder'],
  ])('that cannot be read (%s) is a usage error that names it', async (name, why) => {
    const { exit, err } = await audit('verify', join(folder, name));
    expect({ exit, err: err.slice(err.indexOf('error: ')) }).toEqual({
      exit: 2,
      err: expect.stringMatching(`^error: ${join(folder, name)}: ${why}\n$`) as string,
    });
  });

  it.each([
    ['words', 'line 1 is no JSON object'],
    ['forged', 'line 1 holds no roles documents'],
    ['empty', 'this is no exported audit: it does not begin with the roles documents'],
  ])('that is no exported audit (%s) is a finding', async (name, why) => {
    const file = join(folder, name);
    expect(await audit('verify', file)).toEqual({ exit: 1, out: '', err: `natriumctl audit: ${file}: ${why}\n` });
  });

  it('passes over what is no signed head in a log', () => {
    const log = join(folder, 'log');
    writeFileSync(log, 'hello\n{"auditHead":"AAAA"}\n');
    expect(headsInLog(log)).toEqual([]);
  });

  it('that has no signed head is no log to verify with: nothing is called intact', async () => {
    const log = join(folder, 'words');
    const { exit, out, err } = await audit('verify', '--heads', log);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toContain(`option --heads: no signed head in ${log} (an acl-service writes them with log_level: info)`);
  });

  it('that takes no more, as on a full disk, is told of by its name', () => {
    const audit = { chain: [new Uint8Array(32), []], records: [], heads: [], grants: undefined } as const;
    for (const [path, why] of [['/dev/full', 'ENOSPC'], [join(folder, 'none', 'file'), `there is no folder ${join(folder, 'none')}`]] as const)
      expect(() => writeAudit(path, audit)).toThrow(new RegExp(`^${path}: cannot write it: ${why}`));
    const whole = join(folder, 'whole');
    writeFileSync(whole, 'what was there\n');
    writeAudit(whole, audit);
    expect(readFileSync(whole, 'utf8')).toMatch(/^\{"audit":1,.*\}\n$/);
  }); // prettier-ignore

  it('that an export was to take the place of stays as it was where that breaks off: what is there is always whole', () => {
    const [path, link] = [join(folder, 'exported'), join(folder, 'link')];
    writeFileSync(path, 'of last time\n', { mode: 0o640 });
    symlinkSync(path, link);
    const broken = { chain: 'a', number: 0, get bytes(): Uint8Array { throw new Error('broken off'); } };
    const some = { chain: [new Uint8Array(32), []], records: [], heads: [], grants: undefined } as const;
    expect(() => writeAudit(path, { ...some, records: [broken] })).toThrow(`${path}: cannot write it: broken off`);
    expect([readFileSync(path, 'utf8'), readdirSync(folder).filter((name) => name.includes('.new'))]).toEqual(['of last time\n', []]);
    writeAudit(link, some);
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"audit":1,/);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  }); // prettier-ignore

  it.each(['-', '/dev/stdout'])('that is stdout (%s) gets the export and nothing else; what is said of it is on stderr', (name) => {
    const some = { chain: [new Uint8Array(32), []], records: [], heads: [], grants: undefined } as const;
    const io = new ScriptedIo();
    expect(exported(some, name, io)).toBe(0);
    expect(io.stdout).toMatch(/^\{"audit":1,.*\}\n$/);
    expect(io.stderr).toMatch(/^natriumctl audit: 0 records, 0 signed heads, no grants .*\n$/);
    const other = new ScriptedIo();
    const path = join(folder, 'named');
    exported(some, path, other);
    expect([other.stdout, other.stderr]).toEqual([expect.stringMatching(`^${path}: 0 records, `), '']);
    expect(readFileSync(path, 'utf8')).toBe(io.stdout);
  }); // prettier-ignore

  it.each(['archive', 'verify'])('is what %s needs, and stdout is none', async (verb) => {
    const { exit, out, err } = await audit(verb, '-');
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toContain(`error: ${verb}: - is no file (only export has it, for stdout)`);
  });

  async function audit(...words: readonly string[]) {
    const io = new ScriptedIo();
    const ports = { audit: runAudit } satisfies Partial<CtlPorts> as unknown as CtlPorts;
    const exit = await runNatriumctl(['audit', ...words, '-c', join(folder, 'nowhere')], io, ports);
    return { exit, out: io.stdout, err: io.stderr };
  }
});
