/**
 * The import fence as data: each project, the `@natrium/*` projects and the packages that it may import, and whether it
 * may use `node:` modules (without it also no clock, randomness or environment). `lazy`: it may `import()` its own parts.
 * Everything else is refused by the linter (`eslint.config.mjs`), which `fence.spec.ts` proves.
 * Adding an arrow needs an ADR. A `*.spec.ts` may also import `testing`, `node:` and the test tools.
 */
export const fence = {
  'libs/model': { may: [], packages: [] },
  'libs/args': { may: ['model'], packages: ['js-yaml'] },
  'libs/matchers': { may: ['model', 'args'], packages: ['re2js'] },
  'libs/acl': { may: ['model', 'matchers'], packages: [] },
  'libs/policy-tools': { may: ['model', 'matchers', 'acl'], packages: [] },
  'libs/pillar': { may: ['model', 'matchers', 'args'], packages: [] },
  'libs/jobs': { may: ['model'], packages: [] },
  'libs/wire': { may: ['model'], packages: ['zod/mini'] },
  'libs/flow': { may: ['model', 'matchers', 'acl', 'jobs', 'wire'], packages: [] },
  'libs/envelope': { may: ['model'], packages: ['libsodium-wrappers', 'sodium-native'], node: true, lazy: true },
  'libs/keystore': { may: ['model', 'envelope', 'process'], packages: [], node: true },
  'libs/broker-auth': { may: ['envelope', 'keystore'], packages: ['@nats-io/*'], node: true },
  'libs/config': { may: ['model', 'args', 'matchers', 'acl'], packages: ['zod/mini'], node: true },
  'libs/bus': { may: ['model', 'wire', 'envelope'], packages: ['@nats-io/*'], node: true },
  'libs/process': { may: [], packages: [], node: true },
  'libs/tracing': { may: ['bus'], packages: ['@opentelemetry/*'], node: true, lazy: true },
  'libs/edge': {
    may: ['model', 'wire', 'envelope', 'bus', 'keystore', 'config', 'process', 'tracing'],
    packages: ['@nestjs/*', 'rxjs', 'reflect-metadata', 'pino', 'prom-client'],
    node: true,
  },
  'libs/client': { may: ['model', 'args', 'modules', 'wire', 'envelope', 'bus', 'keystore'], packages: [], node: true },
  'libs/events': { may: ['model', 'matchers', 'wire', 'envelope', 'bus', 'process'], packages: [], node: true },
  'libs/modules': { may: ['model', 'args'], packages: [], node: true },
  'libs/runners': { may: ['model', 'args', 'modules'], packages: [], node: true },
  'libs/output': { may: ['model', 'args'], packages: ['js-yaml', 'fast-string-width'] },
  'libs/testing': { may: '*', packages: ['@nats-io/*'], node: true },
  'apps/master-gateway': {
    may: '*',
    packages: ['@nestjs/*', 'reflect-metadata', 'pino', 'express', 'ws'],
    node: true,
  },
  'apps/acl-service': {
    may: '*',
    packages: ['@nestjs/*', 'reflect-metadata', 'pino', 'bcryptjs', 'apache-md5', 'ldapts'],
    node: true,
  },
  'apps/runner-service': { may: '*', packages: ['@nestjs/*', 'reflect-metadata', 'pino'], node: true },
  'apps/event-sink': { may: '*', packages: ['@nestjs/*', 'reflect-metadata', 'pino', 'pg'], node: true },
  'apps/minion-agent': { may: '*', packages: ['pino'], node: true, lazy: true },
  'apps/cli': { may: '*', packages: ['commander', 'pino'], node: true, lazy: true },
};
