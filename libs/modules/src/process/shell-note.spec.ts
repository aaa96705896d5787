import { KWARG_MARK, type Value } from '@natrium/model';
import { NO_SHELL, shellNote } from './shell-note.js';

const named = (args: Readonly<Record<string, Value>>) => ({ [KWARG_MARK]: true, ...args });

describe('a command that seems to be written for a shell', () => {
  it.each<[string, readonly Value[]]>([
    ['cmd.run', ['echo key >> /tmp/x']],
    ['cmd.run_all', [named({ cmd: 'a | b' })]],
    ['cmd.retcode', ['test -f ~/x', named({ runas: 'fred' })]],
    ['cmd.run_bg', ['a &', named({ python_shell: false, shell: '' })]],
    ['cmd.run', ['a | b', named({ python_shell: false, shell: '/bin/bash' })]],
    ['cmd.run', ['cd /tmp']],
    ['cmd.run', ['DEBIAN_FRONTEND=noninteractive apt-get -y install x']],
    ['cmd.run', ['[[ -f /x ]]']],
  ])('is told of where none reads it: %s %j', (fun, args) => {
    expect(shellNote(fun, args)).toBe(NO_SHELL);
  });

  it.each<[string, readonly Value[]]>([
    ['cmd.run', ['ls -l /etc']],
    ['cmd.run', ['a | b', named({ python_shell: true })]],
    ['cmd.run', ['a | b', named({ shell: '/bin/bash' })]],
    ['cmd.run', [['echo', '|']]],
    ['cmd.run', ["echo 'never closed"]],
    ['cmd.run', []],
    ['cmd.shell', ['a | b']],
    ['cmd.script', ['a | b']],
    ['test.echo', ['a | b']],
  ])('is none, or has one: %s %j', (fun, args) => {
    expect(shellNote(fun, args)).toBeUndefined();
  });
});
