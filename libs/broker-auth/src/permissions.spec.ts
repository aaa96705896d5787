/** spec/broker.md and the code say the same, and nobody may do what nobody may. */
import { readFileSync } from 'node:fs';
import { type BucketAccess, permissionsOf, type Scope, SCOPES } from './permissions.js';

const page = readFileSync('spec/broker.md', 'utf8');

/** Rows of the table under a heading, by their first cell. */
function rows(heading: string): ReadonlyMap<string, readonly string[]> {
  const section = page.slice(page.indexOf(heading));
  const lines = section.slice(section.indexOf('|---')).split('\n').slice(1);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return new Map(
    lines.slice(0, end).map((line) => {
      const [name = '', ...cells] = line.split('|').map((cell) => cell.trim()).slice(1, -1); // prettier-ignore
      return [name, cells];
    }),
  );
}

const words = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
const scope = (name: string): Scope => {
  const found = SCOPES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no scope ${name}`);
  return found;
};

it('spec/broker.md names the scopes of the code, with their subjects', () => {
  const table = rows('## Permissions');
  expect([...table.keys()]).toEqual(SCOPES.map(({ name }) => name));
  for (const { name, sends, hears, answers } of SCOPES) {
    const [said, heard, many, within] = table.get(name) ?? [];
    const inSpec = [name, words(said), words(heard), Number(many), Number(within)];
    expect(inSpec).toEqual([name, sends, hears, answers?.count ?? 0, answers?.seconds ?? 0]);
  }
});

it('spec/broker.md names their stores', () => {
  const table = rows('### Stores');
  const access: readonly BucketAccess[] = ['own', 'part', 'read'];
  const stores = SCOPES.filter(({ buckets }) => Object.keys(buckets).length > 0);
  expect([...table.keys()]).toEqual(stores.map(({ name }) => name));
  for (const { name, buckets } of stores) {
    const cells = table.get(name) ?? [];
    for (const [index, how] of access.entries())
      expect([name, how, words(cells[index])]).toEqual([name, how, Object.keys(buckets).filter((one) => buckets[one] === how)]); // prettier-ignore
  }
});

it('nobody may destroy or change a stream, or listen to all', () => {
  for (const one of SCOPES) {
    const { pub, sub } = permissionsOf(one, 'main');
    const all = [...pub.allow, ...sub.allow];
    expect(all.filter((subject) => /^(>|\*|\$SYS|nt\.main\.>|\$JS\.>|\$JS\.API\.>|\$KV\.>)/.test(subject))).toEqual([]);
    expect(all.filter((subject) => /\.(DELETE|PURGE|UPDATE|RESTORE|SNAPSHOT|LEADER)\./.test(subject) && !subject.includes('.CONSUMER.'))).toEqual([]); // prettier-ignore
  }
});

it('a user is tied to its own name, in each cluster’s own subjects', () => {
  expect(permissionsOf(scope('minion'), 'east')).toEqual({
    pub: { allow: ['nt.east.hello', 'nt.east.up.{{name()}}.>'] },
    sub: { allow: ['_INBOX.{{name()}}.>', 'nt.east.job.{{name()}}', 'nt.east.dir.*'] },
    resp: { max: 1, ttl: 60e9 },
  });
});
