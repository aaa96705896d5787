/** Builders for the tests of modules: a call on `web1`, with as little else as the rule under test needs. */
import type { Value } from '@natrium/model';
import { builtinModules } from '../builtin/index.js';
import type { CallContext } from '../call-context.js';
import type { Outcome } from '../loader/reply.js';
import { minionRegistry } from '../minion-registry.js';

export function aCall(overrides: Partial<CallContext> = {}): CallContext {
  return {
    id: 'web1',
    jid: '20260101000000000001',
    grains: () => ({ id: 'web1', os: 'Debian', pkg: { apache: ['httpd', { port: 80 }] } }),
    pillar: () => ({ role: 'web', db: { user: 'app', ports: [5432, { tls: true }] }, ratio: 0.5 }),
    config: { id: 'web1', master: 'salt', join_password: 'canary' },
    signal: new AbortController().signal,
    ...overrides,
  };
}

/** Runs one function of the built-in modules, positional arguments only. */
export function call(fun: string, sent: readonly Value[] = [], overrides: Partial<CallContext> = {}): Promise<Outcome> {
  return minionRegistry(builtinModules).execute(fun, sent, aCall(overrides));
}

/** Named arguments as they travel. */
export function named(map: Readonly<Record<string, Value>>): Value {
  return { __kwarg__: true, ...map };
}
