/** The inventory that a command is over: a file, else the running cluster, else the ids that rules name. */
import { loadYaml } from '@natrium/args';
import { err, fromPlain, isMap, messageOf, ok, type Plain, type Result, type Target, type Value } from '@natrium/model';
import { type Fleet, fleetOfRules, knowingIdsOf, type PolicyView, readFleet } from '@natrium/policy-tools';
import { configDirOf } from '../common/common-options.js';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import { say } from '../common/refused.js';
import { textOf } from '../common/text-of.js';
import type { AclCommand } from './acl-command.js';

/** There is no cluster in that folder: nothing that had to be reached. */
const NO_CLUSTER = EXIT.badConfig;

/**
 * @param target What a single question is about; a minion that it names is known then, whatever the rules say.
 * @throws {UsageError} When the file of `--inventory` holds none.
 */
export async function chosenFleet(asked: AclCommand, views: readonly PolicyView[], target?: Target): Promise<Fleet> {
  const file = asked.options.text('inventory');
  if (file !== undefined) return fleetIn(file);
  const running = asked.options.flag('offline') ? undefined : await fleetOfCluster(asked);
  if (running !== undefined) return running;
  const named = fleetOfRules(...views);
  return target === undefined ? named : knowingIdsOf(target, named, views);
}

/** @param word `FILE`, or `FILE#NAME` where a file holds several. */
export function fleetIn(word: string): Fleet {
  const [, file = word, name] = /^(.+?)#([^#/]+)$/s.exec(word) ?? [];
  const data = readData(file);
  if (!data.ok) throw new UsageError(`${file}: ${data.error}`);
  const fleet = fleetFrom(data.value, name);
  if (!fleet.ok) throw new UsageError(`${file}: ${fleet.error}`);
  return fleet.value;
}

/** @param name Which of several inventories. */
function fleetFrom(value: Value, name: string | undefined): Result<Fleet, string> {
  if (name !== undefined) {
    const one = isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return one === undefined ? err(`there is no inventory '${name}'`) : readFleet(one);
  }
  const several =
    isMap(value) &&
    Object.values(value).length > 0 &&
    Object.values(value).every((one) => isMap(one) && Object.hasOwn(one, 'accepted'));
  if (several)
    return err(`there are several inventories, write FILE#NAME with one of ${Object.keys(value).join(', ')}`);
  return readFleet(value);
}

/** JSON as the corpus writes it, else YAML. */
function readData(file: string): Result<Value, string> {
  const text = textOf(file);
  if (!text.ok) return text;
  if (file.endsWith('.json')) {
    try {
      return ok(fromPlain(JSON.parse(text.value) as Plain));
    } catch (error) {
      return err(messageOf(error));
    }
  }
  const loaded = loadYaml(text.value, file);
  return loaded.ok ? ok(loaded.value.value) : err(`line ${loaded.error.line ?? 1}: ${loaded.error.reason}`);
}

async function fleetOfCluster({ options, io, connectMaster }: AclCommand): Promise<Fleet | undefined> {
  const connect = connectMaster ?? (await import('../link/connect-master.js')).connectMaster;
  const link = await connect({ configDir: configDirOf(options, io) });
  if (!link.ok) {
    if (link.error.exit !== NO_CLUSTER)
      say(`No inventory: ${link.error.sentence}. Only ids that rules name are known.`, io);
    return undefined;
  }
  try {
    const list = await link.value.inventory();
    const fleet = list.ok ? readFleet({ ...list.value }) : err(list.error.sentence);
    if (fleet.ok) return fleet.value;
    say(`No inventory: ${fleet.error}. Only ids that rules name are known.`, io);
    return undefined;
  } finally {
    await link.value.close();
  }
}
