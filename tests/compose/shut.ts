/** No container may be more than it needs: who it is, what it can write, what it holds. */
import type { Engine } from './engine.js';

/** The keys of roles that each service alone has. */
const HELD = {
  'acl-service': ['acl'],
  'master-gateway': ['gateway'],
  'runner-service': ['reactor', 'runner'],
  'event-sink': ['sink'],
} as const;
const FORMAT = '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.Config.Env}}';
const PKI = '/etc/natrium/pki';

/** @returns How many containers were looked at. */
export async function checkShut(engine: Engine): Promise<number> {
  const ids = (await engine.compose('--profile', 'sink', 'ps', '-q')).split('\n').filter((id) => id !== '');
  const all = await engine.docker('inspect', '-f', FORMAT, ...ids);
  for (const said of all.trim().split('\n')) {
    if (!/^10001:10001 true \[ALL\] /.test(said)) throw new Error(`a container is not shut: ${said}`);
    if (/[0-9a-f]{48}|seed|secret|password/i.test(said)) throw new Error(`an environment holds a secret: ${said}`);
  }
  for (const [service, roles] of Object.entries(HELD)) {
    const id = await engine.container(service);
    const keys = (await engine.docker('exec', id, 'ls', `${PKI}/roles.d`)).trim().split(/\s+/);
    if (keys.join(' ') !== roles.map((role) => `${role}.key`).join(' '))
      throw new Error(`${service} holds ${keys.join(' ')}`);
    const others = await engine.tryDocker(['exec', id, 'ls', `${PKI}/root.key`, `${PKI}/account.key`]);
    if (others.stdout.trim() !== '') throw new Error(`${service} holds ${others.stdout}`);
  }
  return ids.length;
}
