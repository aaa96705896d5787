/** What the files of the master's host say: who may read them, how old keys are, when certificates end, the policy. */
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { basename, join } from 'node:path';
import { BrokerKeys } from '@natrium/broker-auth';
import { type LoadedConfig, type MasterConfig, problemReason, problemSentence } from '@natrium/config';
import { isRolesExpired } from '@natrium/envelope';
import { MasterKeys, STORAGE_CLASSES, storageKeyMs } from '@natrium/keystore';
import { isMap } from '@natrium/model';
import { fleetOfRules, lintPolicy } from '@natrium/policy-tools';
import { lintReactor } from '../acl/lint-reactor.js';
import { loadPolicy } from '../acl/load-policy.js';
import { isPair } from '../init/broker-tls.js';
import { type Finding, fine, problem, warning } from './finding.js';
import type { ServedCertificate } from './served-certificates.js';

const DAY_MS = 86_400_000;
/** `natriumctl` warns this long before the roles document or a certificate ends. */
const SOON_MS = 90 * DAY_MS;
/** What ends sooner than this is a problem: somebody has to be found who renews it. */
const NEAR_MS = 14 * DAY_MS;
const STORAGE_KEY_MS = 7 * DAY_MS;
const ROLE_KEY_MS = 2 * 365 * DAY_MS;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;
const WORLD_WRITES = 0o002;
const MAX_SHOWN = 3;
const RENEW = 'natriumctl roles renew, with the root key';
const CA_HERE = 'is on this host: whoever takes it over can pass for the broker';
const CA_AWAY = 'move it to a medium that is not connected; it is needed only for the next certificate of the broker';
const NEXT_KEY = 'natriumctl roles new-key makes the next one of its role, and roles retire ends this one';

/** Of the root in force, and beside it what `roles new-root` has left: of one before, whom new minions would still believe, or of the next. */
const ROOT_KEY = /^root\.key(?:\.next|\.until-\d+)?$/;

/** Secrets that others may read, folders that others may write to. */
export function checkFiles({ pki_dir: pki }: Pick<MasterConfig, 'pki_dir'>): readonly Finding[] {
  const entries = filesBelow(pki);
  const open = entries.filter(({ path, isFolder, mode }) => !isFolder && isSecret(path) && (mode & OTHERS) !== 0);
  const { mode: pkiMode, uid: owner } = statSync(pki);
  const loose = [{ path: pki, isFolder: true, mode: pkiMode }, ...entries].filter(
    ({ isFolder, mode }) => isFolder && (mode & OTHERS_WRITE) !== 0,
  );
  // Each account owns its own key there.
  const foreign = entries.filter(
    ({ path, uid }) => isSecret(path) && uid !== owner && !path.startsWith(join(pki, 'accounts', '/')),
  );
  const roots = readdirSync(pki).filter((name) => ROOT_KEY.test(name)).sort(); // prettier-ignore
  const offline = [...roots.map((name) => join(pki, name)), join(pki, 'broker', 'offline')].filter((path) =>
    existsSync(path),
  );
  const ca = join(pki, 'broker', 'tls', 'ca.key');
  const findings = [
    ...open.map(({ path }) => problem('files', `others may read or write ${path}`, `chmod go= ${path}`)),
    ...loose.map(({ path }) => problem('files', `others may put files into ${path}`, `chmod go-w ${path}`)),
    ...foreign.map(({ path, uid }) =>
      problem(
        'files',
        `${path} belongs to user ${String(uid)}, and ${pki} to user ${String(owner)}: one of the two cannot read what it should, or can what it should not`,
        `chown ${String(owner)} ${path}`,
      ),
    ),
    ...(offline.length === 0
      ? []
      : [
          warning(
            'offline keys',
            `${offline.join(' and ')} ${offline.length === 1 ? 'is' : 'are'} on this host: whoever takes it over can make any key`,
            'move them to a medium that is not connected; they are needed only to change role keys or broker scopes',
          ),
        ]),
    ...(existsSync(ca) ? [warning('offline keys', `${ca} ${CA_HERE}`, CA_AWAY)] : []),
  ];
  return findings.length > 0 && findings.some(({ check }) => check === 'files')
    ? findings
    : [fine('files', `keys in ${pki} are readable by their owner only`), ...findings];
}

/** Files of the policy that others may write to: who may write a rule may do everything. The services read them as their group. */
export function checkConfigFiles({
  files,
  folders,
}: Pick<LoadedConfig<MasterConfig>, 'files' | 'folders'>): readonly Finding[] {
  const places = folders.filter(({ only }) => only === undefined).map(({ path }) => path);
  const found = (path: string, what: string) => problem('files', `others may ${what} ${path}`, `chmod o-w ${path}`);
  return [
    ...places.filter(isWorldWritable).map((path) => found(path, 'put files into')),
    ...files.filter(isWorldWritable).map((path) => found(path, 'write to')),
  ];
}

function isWorldWritable(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & WORLD_WRITES) !== 0;
}

/** Its name is in every permission of the broker's keys: under another one no service and no command may say a word. */
export function checkFounded({
  config,
  locate,
}: Pick<LoadedConfig<MasterConfig>, 'config' | 'locate'>): readonly Finding[] {
  const keys = new BrokerKeys(join(config.pki_dir, 'broker'));
  if (config.broker_auth === 'none' || !keys.exists) return [];
  const { cluster: founded } = keys;
  if (founded === config.cluster) return [];
  const path = ['cluster'];
  const reason = `the keys of this cluster are of ${founded}, and not of ${config.cluster}`;
  const mend = `set cluster: ${founded}; its name stays what it was when it was founded`;
  return [problem('cluster', problemReason({ ...locate(path), path, reason, mend }), mend)];
}

/** Secrets of the acl-service in a file that others may read: with one of them another service logs in as who it likes. */
export function checkSecrets({
  config,
  locate,
}: Pick<LoadedConfig<MasterConfig>, 'config' | 'locate'>): readonly Finding[] {
  const given = { sharedsecret: config.sharedsecret, 'auth.ldap.bindpw': config.auth_ldap['bindpw'] ?? '' };
  return Object.entries(given).flatMap(([key, value]) => {
    const { file } = locate([key]);
    if (value === '' || (statSync(file).mode & OTHERS_READ) === 0) return [];
    const said = `${key} stands in ${file}, which others may read: whoever takes over any service that can may log in with it`;
    const mend = 'move it into a file of the acl-service alone: docs/external-auth.md, Where the secrets belong';
    return [warning('secrets', said, mend)];
  });
}

/** The roles document's end, and how old keys are. */
export function checkKeys({ pki_dir: pki }: MasterConfig, nowMs: number): readonly Finding[] {
  const keys = new MasterKeys(pki);
  const { document } = keys.roles();
  const { notAfter, serial } = document;
  const days = Math.floor((notAfter - nowMs) / DAY_MS);
  const roles =
    isRolesExpired(document, nowMs)
      ? problem('roles', `roles document ${String(serial)} has expired: nobody takes it`, RENEW)
      : notAfter - nowMs < SOON_MS
        ? (notAfter - nowMs < NEAR_MS ? problem : warning)('roles', `roles document ${String(serial)} ends in ${String(days)} days`, RENEW)
        : fine('roles', `roles document ${String(serial)} is good for ${String(days)} days`); // prettier-ignore
  const old = filesBelow(join(pki, 'roles.d')).filter(({ path }) => ageOf(path, nowMs) > ROLE_KEY_MS);
  return [
    roles,
    ...old.map(({ path }) => warning('key ages', `${path} is older than two years`, NEXT_KEY)),
    ...storageKeyAges(pki, nowMs),
  ];
}

function storageKeyAges(pki: string, nowMs: number): readonly Finding[] {
  // Where they are not, as with containers, they are not this host's to change.
  if (!existsSync(join(pki, 'storage'))) return [];
  const newest = STORAGE_CLASSES.map((name) => ({ name, madeMs: newestStorageKeyMs(pki, name) }));
  const lost = newest.filter(({ madeMs }) => madeMs === 0).map(({ name }) => join(pki, 'storage', name));
  const stale = newest.filter(({ madeMs }) => madeMs > 0 && madeMs < nowMs - STORAGE_KEY_MS).map(({ name }) => name);
  if (lost.length + stale.length === 0) return [fine('key ages', 'storage keys are new enough')];
  const said = `the newest storage keys of ${stale.join(', ')} are older than a week`;
  return [
    ...lost.map((folder) => problem('key ages', `there is no storage key in ${folder}: what was sealed with it cannot be read`, 'restore that folder from a backup')), // prettier-ignore
    ...(stale.length === 0 ? [] : [warning('key ages', said, 'run natriumctl keys rotate, each day by a timer')]),
  ];
}

/** The broker's certificate and its CA, where they are on this host: on the day that one ends nobody gets in any more. */
export function checkCertificates({ pki_dir: pki }: Pick<MasterConfig, 'pki_dir'>, nowMs: number): readonly Finding[] {
  const folder = join(pki, 'broker', 'tls');
  const files = ['server.crt', 'ca.crt'].map((name) => join(folder, name)).filter((path) => existsSync(path));
  return files.map((path) => fileFinding({ path, ended: NOBODY_IN, mend: NEXT_CERTIFICATE }, nowMs));
}

/** Whether the broker's key on this host is its certificate's. A node that runs keeps what it has read, so that it is found out at its next start. */
export function checkServerKey({ pki_dir: pki }: Pick<MasterConfig, 'pki_dir'>): readonly Finding[] {
  const [certificate, key] = [join(pki, 'broker', 'tls', 'server.crt'), join(pki, 'broker', 'tls', 'server.key')];
  // The key may have gone to the nodes.
  if (!existsSync(certificate) || !existsSync(key) || isPair(certificate, key)) return [];
  return [
    problem('certificates', `${key} is not the key of ${certificate}: no broker starts with the two`, NEXT_CERTIFICATE),
  ];
}

const NOBODY_IN = 'the broker lets nobody in';
const NEXT_CERTIFICATE = 'natriumctl init --broker-tls HOSTS makes the next certificate; give it to each broker node';

/** What the nodes of the broker show. */
export function checkServed(served: readonly ServedCertificate[], nowMs: number): readonly Finding[] {
  const mend = 'give this node its next certificate, and reload it: docs/security.md, The broker’s next certificate';
  return served.map(({ node, validity, why = '' }) => {
    const what = `the certificate of the broker at ${node}`;
    if (validity !== undefined) return certificateFinding({ what, ...validity, ended: NOBODY_IN, mend }, nowMs);
    return warning('certificates', `${what} cannot be seen: ${why}`, 'start that node, have it offer TLS (tls {} in its configuration), or take it out of nats'); // prettier-ignore
  });
}

/** The certificate that the HTTP API shows, where this host has it. */
export function checkApiCertificate(
  { rest_cherrypy: api }: Pick<MasterConfig, 'rest_cherrypy'>,
  nowMs: number,
): readonly Finding[] {
  if (!isMap(api) || api['disable_ssl'] === true) return [];
  const { ssl_crt: path } = api;
  if (typeof path !== 'string' || !existsSync(path)) return [];
  const mend = 'renew it, in the same files: each gateway takes it up by itself';
  return [fileFinding({ path, ended: 'clients of the HTTP API refuse it', mend }, nowMs)];
}

interface Ending {
  /** What its end means. */
  readonly ended: string;
  readonly mend: string;
}

function fileFinding({ path, ...ending }: Ending & { readonly path: string }, nowMs: number): Finding {
  const certificate = certificateIn(readFileSync(path));
  if (certificate === undefined) return problem('certificates', `${path} holds no certificate`, ending.mend);
  const { validFrom, validTo } = certificate;
  return certificateFinding({ what: path, from: Date.parse(validFrom), to: Date.parse(validTo), ...ending }, nowMs);
}

function certificateIn(text: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

interface Certificate extends Ending {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

function certificateFinding({ what, from, to, ended, mend }: Certificate, nowMs: number): Finding {
  const days = String(Math.floor((to - nowMs) / DAY_MS));
  if (to <= nowMs) return problem('certificates', `${what} has expired: ${ended}`, mend);
  // One that is made for weeks is renewed when a third of them is left: a warning before that would never go.
  const [soon, near] = [Math.min(SOON_MS, (to - from) / 4), Math.min(NEAR_MS, (to - from) / 8)];
  if (to - nowMs < near) return problem('certificates', `${what} ends in ${days} days: then ${ended}`, mend);
  if (to - nowMs < soon) return warning('certificates', `${what} ends in ${days} days`, mend);
  return fine('certificates', `${what} is good for ${days} days`);
}

export function checkPolicy(configDir: string): readonly Finding[] {
  const loaded = loadPolicy(configDir, { builtIn: false });
  if (!loaded.ok)
    return loaded.error.map((one) => problem('policy', problemSentence(one), one.mend)).slice(0, MAX_SHOWN);
  const { view, reactor, doors } = loaded.value;
  const found = [...lintPolicy(view, fleetOfRules(view)), ...lintReactor(reactor, view, doors)];
  const count = (severity: string) => found.filter((one) => one.severity === severity).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const said = `the policy has ${String(problems)} problems and ${String(warnings)} warnings`;
  const mend = 'natriumctl acl lint names each with its line';
  if (problems > 0) return [problem('policy', said, mend)];
  return [warnings > 0 ? warning('policy', said, mend) : fine('policy', 'the policy has no problems')];
}

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly mode: number;
  readonly uid: number;
}

function filesBelow(folder: string): Entry[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode, uid } = lstatSync(path);
    return entry.isSymbolicLink() ? [] : [{ path, isFolder: entry.isDirectory(), mode: mode & 0o777, uid }];
  });
}

/** Join credentials are every minion's, those to knock with every account's. */
function isSecret(path: string): boolean {
  const name = basename(path);
  if (ROOT_KEY.test(name)) return true;
  return (name.endsWith('.key') || name.endsWith('.creds')) && !['join.creds', 'knock.creds'].includes(name);
}

function ageOf(path: string, nowMs: number): number {
  return path.endsWith('.key') ? nowMs - lstatSync(path).mtimeMs : 0;
}

/** By its name, which is when it was made: `YYYYMMDDhhmmss`. */
function newestStorageKeyMs(pki: string, name: string): number {
  const folder = join(pki, 'storage', name);
  const times = (existsSync(folder) ? readdirSync(folder) : []).map((file) => storageKeyMs(basename(file, '.key')));
  return Math.max(0, ...times.filter(Number.isFinite));
}
