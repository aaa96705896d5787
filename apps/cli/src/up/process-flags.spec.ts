/** Rules of the flags of processes: the same wherever they are started, and nothing among them that a newer Node does not know. */
import { readFileSync } from 'node:fs';
import { inRoot } from '../../../../tests/support/places.js';
import { LEAN_AGENT, ROOMY_GATEWAY, SMALL_SERVICE, SWARM, withHttp } from './process-flags.js';

/** Tried with Node 20, 22 and 24; one that a Node does not know ends it at once. */
const KNOWN = [
  '--max-semi-space-size',
  '--v8-pool-size',
  '--heap-growing-percent',
  '--expose-gc',
  '--compact-on-every-full-gc',
  '--no-flush-bytecode',
  '--initial-old-space-size',
];

const flagsIn = (line: string | undefined) => (line ?? '').match(/--[\w-]+(?:=\w+)?/g);

/** What is meant for the allocator. */
const allocatorIn = (text: string | undefined): unknown =>
  Object.fromEntries([...(text ?? '').matchAll(/(MALLOC_\w+)=(\d+)/g)].map(([, name, value]) => [name, value]));

const flagsOfNode = (line: string | undefined) => flagsIn(line?.split('main.mjs')[0]);

const stageOf = (name: string) =>
  readFileSync(inRoot('Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .find((stage) => stage.startsWith(`base AS ${name}\n`)) ?? '';

it('an agent’s are the same in the unit and in the image', () => {
  const unit = readFileSync(inRoot('systemd/natrium-minion.service'), 'utf8');
  const image = stageOf('minion');
  expect(flagsIn(/^ExecStart=.*$/m.exec(unit)?.[0])).toEqual(LEAN_AGENT.flags);
  expect(flagsIn(/^ENTRYPOINT .*minion-agent.*$/m.exec(image)?.[0])).toEqual(LEAN_AGENT.flags);
  expect(allocatorIn(/^Environment=.*$/m.exec(unit)?.[0])).toEqual(LEAN_AGENT.env);
  expect(allocatorIn(image)).toEqual(LEAN_AGENT.env);
});

it.each(['gateway', 'acl', 'runner', 'sink'])(
  'the allocator of %s is the same in the unit and in the image',
  (name) => {
    const unit = readFileSync(inRoot(`systemd/natrium-${name}.service`), 'utf8');
    expect(allocatorIn(/^Environment=.*$/m.exec(unit)?.[0])).toEqual(SMALL_SERVICE.env);
    expect(allocatorIn(stageOf('service'))).toEqual(SMALL_SERVICE.env);
    expect(ROOMY_GATEWAY.env).toEqual(SMALL_SERVICE.env);
  },
);

it.each([
  ['gateway', 'master-gateway', ROOMY_GATEWAY],
  ['acl', 'acl-service', SMALL_SERVICE],
  ['runner', 'runner-service', SMALL_SERVICE],
  ['sink', 'event-sink', { flags: null }],
])('those of %s are the same in the unit and in docker-compose.yml', (name, program, { flags }) => {
  const unit = readFileSync(inRoot(`systemd/natrium-${name}.service`), 'utf8');
  const commands = readFileSync(inRoot('docker-compose.yml'), 'utf8').split('command:');
  expect(flagsOfNode(/^ExecStart=.*$/m.exec(unit)?.[0])).toEqual(flags);
  expect(flagsOfNode(commands.find((command) => command.includes(`dist/${program}/main.mjs`)))).toEqual(flags);
});

it('a gateway with a port of its own for HTTP is otherwise started as one without', () => {
  const { flags, env } = withHttp(ROOMY_GATEWAY, 8001);
  expect([flags, env]).toEqual([ROOMY_GATEWAY.flags, { ...SMALL_SERVICE.env, NATRIUM_HTTP_PORT: '8001' }]);
});

it('are only such as were tried', () => {
  const all = [LEAN_AGENT, ROOMY_GATEWAY, SMALL_SERVICE, SWARM].flatMap(({ flags }) => flags);
  const flags = all.map((flag) => flag.split('=')[0]);
  expect(new Set(flags)).toEqual(new Set(KNOWN));
});
