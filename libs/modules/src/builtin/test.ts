/**
 * `test.*`: is it there, does it answer, what did it get.
 *
 * Whoever may call `test.*` must not get further than that: what runs another function by name (`test.try_`,
 * `test.cross_test`) is not here, as it would run it under a permission that was given for testing.
 */
import { isTrue, pyStr, type Value, type ValueMap } from '@natrium/model';
import { setTimeout as pause } from 'node:timers/promises';
import { defineModule } from '../loader/declaration.js';
import { InvocationError } from '../loader/errors.js';
import { reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import { SALT_VERSION } from '../salt-version.js';
import { argumentFunctions } from './test-arguments.js';
import { numberFunctions } from './test-numbers.js';
import { configWithoutSecrets, versions } from './test-reports.js';

class TestException extends Error {
  override readonly name = 'Exception';
}

const answers = {
  ping: fn({ doc: 'Tells that this minion is up and answers.', returns: 'True', examples: ['test.ping'] }, () => true),
  true: fn({ doc: 'Always returns True.' }, () => true),
  // As in the original, a plain `False` is an answer, not a failure.
  false: fn({ doc: 'Always returns False.' }, () => false),
  none: fn({ doc: 'Always returns None.' }, () => null),
  version: fn({ doc: 'The version that this minion runs.', examples: ['test.version'] }, () => SALT_VERSION),
  versions_information: fn({ doc: 'Versions of this minion and of what it stands on, as a map.' }, () => versions()),
  versions_report: fn({ doc: 'Versions of this minion and of what it stands on, as text.' }, () => versionsText()),
  versions: fn({ doc: 'The same as test.versions_report.' }, () => versionsText()),
  get_opts: fn({ doc: "The minion's configuration, with secrets hidden." }, (_, { config }) =>
    configWithoutSecrets(config),
  ),
  opts_pkg: fn({ doc: "The minion's configuration and grains in one map." }, (_, { config, grains }) => ({
    ...configWithoutSecrets(config),
    grains: grains(),
  })),
  not_loaded: fn({ doc: 'Modules that are there and could not be loaded.' }, () => []),
  providers: fn({ doc: 'The modules of this minion, each with the name of what provides it.' }, (_, __, library) => {
    const names = library.list().map((fun) => fun.slice(0, fun.indexOf('.')));
    return Object.fromEntries(names.map((name) => [name, name]));
  }),
};

const failures = {
  retcode: fn(
    { doc: 'Returns True with a retcode of your choice.', params: [{ name: 'code', type: 'int', default: 42 }] },
    ({ code }) => reply(true, { retcode: code }),
  ),
  exception: fn(
    { doc: 'Fails with an exception.', params: [{ name: 'message', type: 'str', default: 'Test Exception' }] },
    ({ message }): Value => {
      throw new TestException(message);
    },
  ),
  stack: fn({ doc: 'Where this call stands in the program.' }, () => new Error('here').stack ?? ''),
  assertion: fn(
    { doc: 'Fails unless the value is true.', params: [{ name: 'assertion', type: 'any' }] },
    ({ assertion }): Value => {
      if (!isTrue(assertion ?? null)) throw new InvocationError('the assertion does not hold');
      return null;
    },
  ),
};

const waiting = {
  sleep: fn(
    {
      doc: 'Waits for some seconds, then returns True.',
      params: [{ name: 'length', type: 'number', doc: 'Seconds.' }],
      examples: ['test.sleep 20'],
    },
    ({ length }, { signal }) => sleep(length, signal),
  ),
  rand_sleep: fn(
    { doc: 'Waits for up to `max` seconds.', params: [{ name: 'max', type: 'number', default: 60 }] },
    ({ max }, { signal }) => sleep(Math.floor(Math.random() * max), signal),
  ),
  outputter: fn(
    { doc: 'Returns what it was given, for trying outputters.', params: [{ name: 'data', type: 'any' }] },
    (args) => args.data,
  ),
};

export const testModule = defineModule('test', {
  ...answers,
  ...argumentFunctions,
  ...failures,
  ...waiting,
  ...numberFunctions,
});

/** A day: more than any job is waited for, and far below what a timer can hold. */
const LONGEST_SECONDS = 86_400;

async function sleep(seconds: number, signal: AbortSignal): Promise<Value> {
  if (!(seconds >= 0 && seconds <= LONGEST_SECONDS)) {
    throw new InvocationError(
      `cannot sleep for ${String(seconds)} seconds: 0 to ${String(LONGEST_SECONDS)} are possible`,
    );
  }
  await pause(seconds * 1000, undefined, { signal });
  return true;
}

function versionsText(): string {
  const groups: readonly (readonly [string, ValueMap])[] = Object.entries(versions());
  return groups
    .map(([title, lines]) =>
      [`${title}:`, ...Object.entries(lines).map(([name, text]) => `${name.padStart(16)}: ${pyStr(text)}`)].join('\n'),
    )
    .join('\n\n');
}
