import { join } from 'node:path';
import { type Files, MasterFolder } from './master-folder.spec-support.js';

let master: MasterFolder;
let dir: string;
beforeEach(() => {
  master = new MasterFolder();
  dir = master.dir;
});
afterEach(() => {
  master.remove();
});

const load = (files: Files) => master.load(files);
const problems = (files: Files) => master.problems(files);

describe('event_sinks', () => {
  const sinks = (text: string) => ({ master: `event_sinks:\n${text}` });

  it('takes a database, a webhook and a file', () => {
    const { config } = load(
      sinks(`  db:
    to: postgresql://natrium@127.0.0.1:5432/salt
    secret_file: db.password
    tags: ['monitoring/*', 'salt/job/*']
  far:
    to: postgresql://natrium@db.example.com/salt?sslmode=verify-full
  here:
    to: postgresql:///salt?host=/run/postgresql
  pager:
    to: https://pager.example.com/hook
    secret_file: /etc/natrium/pager.secret
    from: start
  archive:
    to: events.jsonl
`),
    );
    expect(config.event_sinks).toMatchObject({
      db: { secret_file: join(dir, 'db.password'), tags: ['monitoring/*', 'salt/job/*'], from: 'now' },
      pager: { secret_file: '/etc/natrium/pager.secret', tags: ['*'], from: 'start' },
      archive: { to: join(dir, 'events.jsonl'), secret_file: '' },
    });
  });

  it.each([
    ['to: postgresql://natrium@db.example.com/salt', 'to: events would leave this host in clear'],
    ['to: postgresql:///salt?host=db.example.com', 'to: events would leave this host in clear'],
    ['to: postgresql://natrium@db.example.com/salt?sslmode=disable', 'to: events would leave this host in clear'],
    ['to: postgresql://natrium@db.example.com/salt?host=', 'to: events would leave this host in clear'],
    ['to: postgresql:///salt?host=localhost&host=db.example.com', 'to: events would leave this host in clear'],
    [
      'to: postgresql://db.example.com/salt?sslmode=verify-full&sslmode=disable',
      'to: events would leave this host in clear',
    ],
    ['to: postgresql://natrium:hidden@127.0.0.1/salt', 'to: a secret stands in the address'],
    ['to: postgresql:///salt?password=hidden', 'to: a secret stands in the address'],
    ['{to: http://pager.example.com/hook, secret_file: x}', 'to: events would leave this host in clear'],
    ['{to: https://me:hidden@pager.example.com/, secret_file: x}', 'to: a secret stands in the address'],
    ['to: https://pager.example.com/hook', 'secret_file: a webhook needs the key that signs'],
    ['to: mysql://db.example.com/salt', 'to: this is no destination'],
    ['{to: events.jsonl, secret_file: x}', 'secret_file: a file needs no secret'],
    [`{to: events.jsonl, tags: [${'a'.repeat(4000)}]}`, 'is no glob: it is longer than'],
    ['{to: events.jsonl, other: 1}', 'event_sinks.db: this is none of the values'],
  ])('refuses %s', (text, said) => {
    const found = problems(sinks(text.startsWith('{') ? `  db: ${text}\n` : `  db:\n    ${text}\n`));
    expect(found).toEqual([expect.stringContaining(said)]);
    expect(found.join()).not.toContain('hidden');
    expect(found.join()).toMatch(/^DIR\/master:[23]: /);
  });

  it('refuses two sinks with one file, however it is written, and names both', () => {
    const twice = sinks(
      '  one: {to: events.jsonl}\n  db: {to: events.jsonl.old}\n  two: {to: ./logs/../events.jsonl}\n',
    );
    expect(problems(twice)).toEqual([
      expect.stringMatching(
        /^DIR\/master:4: event_sinks\.two\.to: the sink one writes to this file already.*give each its own/,
      ),
    ]);
    expect(
      problems({ master: `root_dir: /srv\n${sinks('  one: {to: /srv/a}\n  two: {to: a}\n').master}` }),
    ).toHaveLength(1);
  });

  it('takes two sinks with one database, or one webhook', () => {
    const hook = '{to: https://pager.example.com/hook, secret_file: x}';
    const database = '{to: "postgresql:///salt?host=/run/postgresql"}';
    const twice = sinks(`  a: ${hook}\n  b: ${hook}\n  c: ${database}\n  d: ${database}\n`);
    expect(problems(twice)).toEqual([]);
  });
});
