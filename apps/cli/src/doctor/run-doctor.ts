/**
 * `natriumctl doctor`: what is wrong with this host and its cluster, each finding with its mend.
 *
 * Exit codes are for monitoring: 0 nothing, 1 warnings, 2 problems. A cluster that is down is a problem like another.
 */
import { resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import { brokerTlsProblem, loadMasterConfig, type MasterConfig, policyValues, problemReason } from '@natrium/config';
import { policyRevision, sodiumReady, toHex } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { disarm, printableJson } from '@natrium/output';
import { messageOf } from '@natrium/model';
import { plural } from '../common/plural.js';
import { noCluster } from '../keys/no-cluster.js';
import { openMaster } from '../link/open-master.js';
import { NoBroker } from '../link/why-not.js';
import type { DoctorOptions, Io } from '../ports.js';
import {
  checkBroker,
  checkClock,
  checkInForce,
  checkNodes,
  checkScopes,
  checkSerials,
  checkServices,
  checkStreams,
} from './cluster-checks.js';
import { type Finding, type Level, problem } from './finding.js';
import { checkHanded } from './handed-checks.js';
import {
  checkApiCertificate,
  checkCertificates,
  checkConfigFiles,
  checkFounded,
  checkServerKey,
  checkFiles,
  checkKeys,
  checkPolicy,
  checkSecrets,
  checkServed,
} from './host-checks.js';
import { look } from './look.js';
import { checkLimits, checkUsers, runningBrokers, runningServices } from './process-checks.js';
import { servedCertificates } from './served-certificates.js';
import { checkDisks, checkSpace, disksHere } from './space-checks.js';

const FILE_MEND = 'run this as the account that owns the file, or restore it from a backup';
const CODES: Readonly<Record<Level, number>> = { ok: 0, warning: 1, problem: 2 };

export async function runDoctor({ configDir, json, all }: DoctorOptions, io: Io): Promise<number> {
  const findings = await examine(resolve(configDir));
  const count = (level: Level) => findings.filter((one) => one.level === level).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const code = Math.max(0, ...findings.map(({ level }) => CODES[level]));
  if (json) {
    io.out(`${printableJson(JSON.stringify({ findings, problems, warnings }, undefined, 2))}\n`);
    return code;
  }
  const shown = all ? findings : findings.filter(({ level }) => level !== 'ok');
  for (const finding of shown.toSorted((a, b) => CODES[b.level] - CODES[a.level])) io.out(lines(finding));
  io.out(`${plural(problems, 'problem')}, ${plural(warnings, 'warning')}, ${String(count('ok'))} checks are fine\n`);
  return code;
}

async function examine(configDir: string): Promise<readonly Finding[]> {
  await sodiumReady();
  const loaded = loadMasterConfig(configDir);
  if (!loaded.ok) return loaded.error.map((one) => problem('configuration', problemReason(one), one.mend));
  const { config } = loaded.value;
  const keys = new MasterKeys(config.pki_dir);
  if (!keys.exists) {
    const { sentence, mend } = noCluster(keys);
    return [problem('keys', sentence, mend)];
  }
  const services = runningServices(configDir);
  return [
    ...guarded('cluster', () => checkFounded(loaded.value)),
    ...guarded('files', () => checkConfigFiles(loaded.value)),
    ...guarded('files', () => checkFiles(config)),
    ...guarded('secrets', () => checkSecrets(loaded.value)),
    ...guarded('roles', () => checkKeys(config, Date.now())),
    ...guarded('handed out', () => checkHanded(configDir, config, Date.now())),
    ...guarded('certificates', () => checkCertificates(config, Date.now())),
    ...guarded('certificates', () => checkServerKey(config)),
    ...guarded('certificates', () => checkApiCertificate(config, Date.now())),
    ...guarded('policy', () => checkPolicy(configDir)),
    ...checkLimits([...runningBrokers(), ...services]),
    ...checkUsers(services),
    ...checkServed(await servedCertificates(config), Date.now()),
    ...(await examineCluster(configDir, config)),
  ];
}

async function examineCluster(configDir: string, config: MasterConfig): Promise<readonly Finding[]> {
  const unusable = brokerTlsProblem(config);
  if (unusable !== undefined) return [problem('cluster', problemReason(unusable), unusable.mend)];
  const master = await openMaster(configDir);
  if (!master.ok) {
    const { sentence, mend = 'mend that' } = master.error;
    return [problem('cluster', sentence, `${mend}, then run this again`)];
  }
  try {
    const seen = await look(master.value);
    return [
      ...checkBroker(seen.broker, config),
      ...checkScopes(seen.scopes),
      ...checkNodes(seen.nodes),
      ...checkSpace(seen.nodes ?? []),
      ...checkDisks(disksHere(seen.nodes ?? [])),
      ...checkStreams(seen.streams, config),
      ...checkClock(seen.offsetMs, config),
      ...checkServices(seen.services, config),
      ...checkInForce(seen.policies, toHex(policyRevision(policyValues(config)))),
      ...checkSerials(seen.services, seen.minions, master.value.keys.roles().document.serial),
    ];
  } catch (error) {
    return [problem('cluster', messageOf(error), mendOf(error))];
  } finally {
    await master.value.transport.drain();
  }
}

/** A file of keys that is damaged, or not for this account, says which one it is; a broker that refuses, what it refuses. */
function mendOf(error: unknown): string {
  if (isNativeError(error) && 'path' in error) return FILE_MEND;
  const known = error instanceof NoBroker ? error.problem.mend : undefined;
  return known ?? 'look into the log of the broker and of the services';
}

/** A check that cannot be made is a finding too. */
function guarded(check: string, make: () => readonly Finding[]): readonly Finding[] {
  try {
    return make();
  } catch (error) {
    return [problem(check, messageOf(error), FILE_MEND)];
  }
}

/** Some of it is what the broker says of itself. */
function lines({ check, level, what, mend }: Finding): string {
  const after = mend === '' ? '' : `  mend: ${disarm(mend)}\n`;
  return `${level}: ${disarm(`${check}: ${what}`)}\n${after}`;
}
