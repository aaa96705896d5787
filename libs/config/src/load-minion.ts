/** The configuration of a minion, from `DIR/minion`, `DIR/minion.d/*.conf` and `DIR/minion_id`. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Path } from '@natrium/args';
import { err, ok, parseMinionId, type Result } from '@natrium/model';
import { brokerUrl, LOCAL_BROKER, masterUrl } from './addresses.js';
import { check, DEFAULT_DIR } from './check.js';
import { webhookProblem } from './event-sinks.js';
import { deepFreeze } from './freeze.js';
import { fullHostName } from './host-name.js';
import type { LoadedConfig } from './load-master.js';
import { masterKeys } from './master-keys.js';
import { checkMasterFinger } from './master-finger.js';
import { MinionConfig } from './minion-config.js';
import type { ConfigProblem, Fault } from './problem.js';
import { otherNameInSalt } from './salt-name.js';

/** What the host says of itself; an argument so that tests need no particular host. */
export interface Host {
  readonly hostname: string;
  /** The text of `/etc/hosts`. */
  readonly hosts: string;
}

/** @param dir The folder of `-c`. */
export function loadMinionConfig(
  dir = DEFAULT_DIR,
  host = thisHost(),
): Result<LoadedConfig<MinionConfig>, readonly ConfigProblem[]> {
  const checked = check(dir, { name: 'minion', schema: MinionConfig, isOther: (key) => masterKeys().includes(key) });
  if (!checked.ok) return checked;
  const { values, given, locate, files, folders, reports, unused } = checked.value;
  // Kept beside the key, or the host's.
  const hostId = idIn(values.pki_dir) ?? fullHostName(host.hostname, host.hosts);
  // An empty one is none, as in Salt.
  const chosen = (values.id || undefined) ?? idIn(resolve(dir));
  const id = parseMinionId(chosen ?? hostId);
  const finger = checkMasterFinger(values.master_finger);
  const addresses = brokerAddresses(values);
  const problem = (path: Path, fault: Fault): ConfigProblem => ({ ...locate(path), path, ...fault });
  const problems = [
    ...(id === undefined ? [problem(['id'], BAD_ID)] : []),
    ...(finger.ok ? [] : [problem(['master_finger'], finger.error)]),
    ...returnerFaults(values).map(({ path, ...fault }) => problem(path, fault)),
    ...addresses.faults.map(({ path, ...fault }) => problem(path, fault)),
  ];
  if (id === undefined || !finger.ok || problems.length > 0) return err(problems);
  const config = deepFreeze<MinionConfig>({ ...values, id, master_finger: finger.value, nats: addresses.urls });
  const renamed = otherNameInSalt({ id, chosen, host: hostId }, given, locate);
  return ok({ config, locate, files, folders, reports: [...reports, ...renamed], unused });
}

/**
 * Keeps a name that is only the host's beside the key that it joins with: a host, or a container, that is called otherwise at its next
 * start is still whom the master accepted. (Salt keeps it in `DIR`, where an agent need not be able to write.)
 *
 * @throws {Error} When it cannot be written.
 */
export function keepMinionId({ id, pki_dir: pki }: MinionConfig, host = thisHost()): void {
  const path = join(pki, ID_FILE);
  if (id !== fullHostName(host.hostname, host.hosts) || existsSync(path)) return;
  writeFileSync(`${path}.new`, `${id}\n`);
  renameSync(`${path}.new`, path);
}

const ID_FILE = 'minion_id';

const BAD_ID: Fault = {
  reason: 'this is no name of a minion',
  mend: 'set id to 1 to 255 characters that can be seen, without slashes',
};

/** What multi would hand to itself, and what the gateway does: it knows only the returners that the job names. */
const NOT_IN_MULTI: ReadonlySet<string> = new Set(['multi', 'master_bus']);

function returnerFaults({
  multi_returner: multi,
  webhook_url: url,
}: Pick<MinionConfig, 'multi_returner' | 'webhook_url'>): readonly (Fault & { readonly path: Path })[] {
  const said = url === '' ? undefined : webhookProblem(url);
  const wrong = multi.filter((name) => NOT_IN_MULTI.has(name));
  return [
    ...(said === undefined ? [] : [{ path: ['webhook_url'], reason: said.reason, mend: said.mend }]),
    ...wrong.map((name) => ({
      path: ['multi_returner'],
      reason: `${name} cannot be one of several`,
      mend: 'remove it; a job may name several with commas, as in --return=multi,master_bus',
    })),
  ];
}

interface Addresses {
  readonly urls: readonly string[];
  readonly faults: readonly (Fault & { readonly path: Path })[];
}

function brokerAddresses({
  nats,
  master,
  nats_port: port,
}: Pick<MinionConfig, 'nats' | 'master' | 'nats_port'>): Addresses {
  const [key, given, toUrl] =
    nats.length > 0 ? (['nats', nats, brokerUrl] as const) : (['master', master, masterUrl] as const);
  const urls = given.map((address) => toUrl(address, port));
  return {
    urls: given.length === 0 ? [LOCAL_BROKER] : urls.flatMap((url) => (url.ok ? [url.value] : [])),
    faults: urls.flatMap((url, index) => (url.ok ? [] : [{ ...url.error, path: [key, index] }])),
  };
}

/** A minion keeps the name of its first start, as Salt's do. */
function idIn(folder: string): string | undefined {
  return readText(join(folder, ID_FILE))?.trim() || undefined;
}

function thisHost(): Host {
  return { hostname: hostname(), hosts: readText('/etc/hosts') ?? '' };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Neither file has to be there.
    return undefined;
  }
}
