/** Completion in a real bash: `npm run test:system`, as not every host has one. */
import { spawnSync } from 'node:child_process';
import { ScriptedIo } from '../testing/scripted-io.js';
import { allDocumented } from './all-documented.js';
import { completionScript } from './completion.js';

describe('the script for bash', () => {
  const script = completionScript('bash', allDocumented(new ScriptedIo()));
  const complete = (...words: readonly string[]): readonly string[] => {
    const [name = ''] = words;
    const ask = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${String(words.length - 1)}
_${name.replaceAll('-', '_')}; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${script}\n${ask}`], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  };

  it('completes options, their values and subcommands', () => {
    expect(complete('natrium', '--batch')).toEqual([
      '--batch',
      '--batch-wait',
      '--batch-safe-limit',
      '--batch-safe-size',
    ]);
    expect(complete('natrium', '--out', 'j')).toEqual(['json', 'jsonl']);
    expect(complete('natrium', '--out', '=', 'j')).toEqual(['json', 'jsonl']);
    expect(complete('natrium', '--out', '=')).toEqual(complete('natrium', '--out', ''));
    expect(complete('natrium', 'web1', 'test.echo', 'x', '=')).toEqual([]);
    expect(complete('natrium', 'web1', 'test.echo', 'x', '=', '--out')).toEqual([]);
    expect(complete('natrium-key', '--finger-a')).toEqual(['--finger-all']);
    expect(complete('natriumctl', 'fi')).toEqual(['fingerprint']);
    expect(complete('natriumctl', 'up', '--rep')).toEqual(['--replicas']);
  });

  it.each([
    ['-c', '/tmp'],
    ['--config-dir', '=', '/tmp'],
    ['-c', '/tmp', '--log-level', 'info', '-V'],
  ])('knows the subcommand behind options that stand before it: %j %j', (...before) => {
    expect(complete('natriumctl', ...before, 'fi')).toEqual(['fingerprint']);
    expect(complete('natriumctl', ...before, 'up', '--rep')).toEqual(['--replicas']);
    expect(complete('natriumctl', ...before, 'roles', 're')).toEqual(['renew', 'retire']);
    expect(complete('natriumctl', ...before, 'roles', 'new-key', 're')).toEqual([]);
  });

  it('completes what a subcommand can do, and only there', () => {
    const verbs = ['show', 'renew', 'new-key', 'retire', 'new-root'];
    expect(complete('natriumctl', 'roles', '')).toEqual(verbs);
    expect(complete('natriumctl', 'roles', 're')).toEqual(['renew', 'retire']);
    expect(complete('natriumctl', 'roles', '--ro')).toEqual(['--root']);
    expect(complete('natriumctl', 'roles', 'new-key', 're')).toEqual([]);
    expect(complete('natriumctl', 'doctor', '')).not.toContain('show');
  });
});
