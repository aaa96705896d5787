/** `service.*`: services of this host, with systemd or init scripts, whichever runs here. */
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';
import { fn } from '../minion-registry.js';
import { type Change, type How, isAmong, serviceName, type Services, servicesOf, type State } from './services.js';

const PARAMS = [{ name: 'name', type: 'str', doc: 'Name of the service.' }] as const;

const NO_BLOCK = {
  name: 'no_block',
  type: 'bool',
  default: false,
  doc: 'Do not wait until it is done (systemd).',
} as const;
const UNMASK = [
  { name: 'unmask', type: 'bool', default: false, doc: 'Take its mask away first (systemd).' },
  { name: 'unmask_runtime', type: 'bool', default: false, doc: 'Likewise the one that ends with the host’s run.' },
] as const;

function changing(change: Change, doc: string) {
  return fn(
    { doc, params: [...PARAMS, NO_BLOCK, ...UNMASK], returns: 'true', examples: [`service.${change} cron`] },
    ({ name, no_block: noBlock, unmask, unmask_runtime: unmaskRuntime }, context) =>
      changed(name, change, { noBlock, unmask, unmaskRuntime }, context),
  );
}

function ending(change: Change, doc: string) {
  return fn(
    { doc, params: [...PARAMS, NO_BLOCK], returns: 'true', examples: [`service.${change} cron`] },
    ({ name, no_block: noBlock }, context) =>
      changed(name, change, { noBlock, unmask: false, unmaskRuntime: false }, context),
  );
}

async function changed(name: string, change: Change, how: How, context: CallContext): Promise<true> {
  const services = await servicesOf();
  if (!(await isThere(services, name, context))) throw new ExecutionError(`there is no service ${name}`);
  await services.change(serviceName(name), change, how, context);
  return true;
}

function listing(state: State, doc: string) {
  return fn({ doc, returns: 'a list', examples: [`service.get_${state}`] }, async (_, context) =>
    [...(await (await servicesOf()).inState(state, context))].sort(),
  );
}

type Question = (services: Services, name: string, context: CallContext) => Promise<boolean>;

function telling(doc: string, fun: string, question: Question) {
  return fn({ doc, params: PARAMS, examples: [`service.${fun} cron`] }, async ({ name }, context) =>
    question(await servicesOf(), serviceName(name), context),
  );
}

const isThere: Question = async (services, name, context) => {
  return isAmong(await services.all(context), name);
};

export const serviceModule = defineModule('service', {
  status: fn(
    {
      doc: 'Tells whether a service runs.',
      params: [
        { name: 'name', type: 'str', doc: 'Name of the service, or a glob.' },
        { name: 'sig', type: 'any', default: null, doc: 'Changes nothing: whoever runs services is asked.' },
        { name: 'wait', type: 'any', default: null, doc: 'Likewise.' },
      ],
      returns: 'True or False; a map for a glob',
      examples: ['service.status cron', "service.status 'ssh*'"],
    },
    async ({ name }, context) => {
      const services = await servicesOf();
      if (!/[*?[]/.test(name))
        return (await isThere(services, serviceName(name), context)) && services.status(name, context);
      const names = (await services.all(context)).filter((one) => matchesGlob(name, one));
      const found: [string, boolean][] = [];
      for (const one of names) found.push([one, await services.status(one, context)]);
      return Object.fromEntries(found);
    },
  ),
  start: changing('start', 'Starts a service.'),
  stop: ending('stop', 'Stops a service.'),
  restart: changing('restart', 'Restarts a service.'),
  reload: changing('reload', 'Has a service read its configuration again.'),
  enable: changing('enable', 'Has a service start with the host.'),
  disable: ending('disable', 'Has a service not start with the host.'),
  enabled: telling('Tells whether a service starts with the host.', 'enabled', (services, name, context) =>
    services.isEnabled(name, context),
  ),
  disabled: telling(
    'Tells whether a service does not start with the host.',
    'disabled',
    async (services, name, context) =>
      (await isThere(services, name, context)) && !(await services.isEnabled(name, context)),
  ),
  available: telling('Tells whether there is such a service.', 'available', isThere),
  missing: telling('Tells whether there is no such service.', 'missing', async (...ask) => !(await isThere(...ask))),
  get_running: listing('running', 'The names of the services that run (systemd).'),
  get_enabled: listing('enabled', 'The names of the services that start with the host.'),
  get_disabled: listing('disabled', 'The names of the services that do not start with the host.'),
  get_all: fn(
    { doc: 'The names of all services.', returns: 'a list', examples: ['service.get_all'] },
    async (_, context) => [...(await (await servicesOf()).all(context))].sort(),
  ),
});
