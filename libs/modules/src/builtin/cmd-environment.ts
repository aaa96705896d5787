/** The variables that a command of `cmd.*` runs with. */
import { isList, isMap, isTrue, pyStr, type Value } from '@natrium/model';
import { InvocationError } from '../loader/errors.js';
import { SYSTEM_PATH } from '../process/run-tool.js';
import type { CommandOptions } from './cmd-options.js';
import type { UserEntry } from './name-databases.js';

type Variables = Readonly<Record<string, string>>;

/**
 * Settings of the agent itself, by its unit, its supervisor or systemd: what it runs would take them for its own. `NODE_ENV` has npm
 * leave out packages, and the others slow a program down or end it.
 */
const OF_AGENT = /^(NODE_ENV|MALLOC_[A-Z_]+|NOTIFY_SOCKET|NATRIUM_SUPERVISED)$/;

/** One by one, as in Salt, so that one given in `env` wins. */
const LOCALE: Variables = Object.fromEntries(
  ['CTYPE', 'NUMERIC', 'TIME', 'COLLATE', 'MONETARY', 'MESSAGES', 'PAPER', 'NAME', 'ADDRESS', 'TELEPHONE']
    .concat(['MEASUREMENT', 'IDENTIFICATION'])
    .map((part) => [`LC_${part}`, 'C']),
);

type Asked = Pick<CommandOptions, 'env' | 'clean_env' | 'prepend_path' | 'reset_system_locale'>;

export function variables(asked: Asked, account: UserEntry | undefined): Variables {
  const ofAccount =
    account === undefined
      ? {}
      : { HOME: account.home, USER: account.name, LOGNAME: account.name, SHELL: account.shell };
  const resets = asked.reset_system_locale && !asked.clean_env;
  const locale = resets ? { ...LOCALE, LANGUAGE: 'C' } : {};
  const inherited = asked.clean_env ? {} : inheritedWithout(resets ? ['LC_ALL'] : []);
  const all: Variables = { ...inherited, ...locale, ...ofAccount, ...envOf(asked.env) };
  if (asked.prepend_path === '') return all;
  return { ...all, PATH: `${asked.prepend_path}:${all['PATH'] ?? SYSTEM_PATH}` };
}

function inheritedWithout(names: readonly string[]): Variables {
  const kept = Object.entries(process.env).filter(([name]) => !OF_AGENT.test(name) && !names.includes(name));
  return Object.fromEntries(kept.map(([name, value = '']) => [name, value]));
}

/** A map, or a list of maps of which later ones win; `False` sets an empty value, as in Salt, and what is empty sets none. */
function envOf(env: Value): Variables {
  if (!isTrue(env)) return {};
  const maps = isList(env) ? env : [env];
  if (!maps.every((map) => isMap(map))) throw new InvocationError('env must be a mapping or a list of mappings');
  const entries = maps.flatMap((map) => Object.entries(map));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === false || value === null ? '' : pyStr(value)]),
  );
}
