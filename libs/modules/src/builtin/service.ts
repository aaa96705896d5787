/** `service.*`: services of this host, with systemd or init scripts, whichever runs here. */
import { defineModule } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';
import { fn } from '../minion-registry.js';
import { type Change, serviceName, type Services, servicesOf } from './services.js';

const PARAMS = [{ name: 'name', type: 'str', doc: 'Name of the service.' }] as const;

function changing(change: Change, doc: string) {
  return fn(
    { doc, params: PARAMS, returns: 'true', examples: [`service.${change} cron`] },
    async ({ name }, { signal }) => {
      const services = await servicesOf();
      if (!(await isThere(services, name, signal))) throw new ExecutionError(`there is no service ${name}`);
      await services.change(serviceName(name), change, signal);
      return true;
    },
  );
}

type Question = (services: Services, name: string, signal: AbortSignal) => Promise<boolean>;

function telling(doc: string, fun: string, question: Question) {
  return fn({ doc, params: PARAMS, examples: [`service.${fun} cron`] }, async ({ name }, { signal }) =>
    question(await servicesOf(), serviceName(name), signal),
  );
}

const isThere: Question = async (services, name, signal) => {
  const all = await services.all(signal);
  const plain = name.replace(/\.service$/, '');
  return all.includes(plain) || all.includes(plain.replace(/@.*$/, '@'));
};

export const serviceModule = defineModule('service', {
  status: fn(
    {
      doc: 'Tells whether a service runs.',
      params: [{ name: 'name', type: 'str', doc: 'Name of the service, or a glob.' }],
      returns: 'True or False; a map for a glob',
      examples: ['service.status cron', "service.status 'ssh*'"],
    },
    async ({ name }, { signal }) => {
      const services = await servicesOf();
      if (!/[*?[]/.test(name))
        return (await isThere(services, serviceName(name), signal)) && services.status(name, signal);
      const names = (await services.all(signal)).filter((one) => matchesGlob(name, one));
      const found: [string, boolean][] = [];
      for (const one of names) found.push([one, await services.status(one, signal)]);
      return Object.fromEntries(found);
    },
  ),
  start: changing('start', 'Starts a service.'),
  stop: changing('stop', 'Stops a service.'),
  restart: changing('restart', 'Restarts a service.'),
  reload: changing('reload', 'Has a service read its configuration again.'),
  enable: changing('enable', 'Has a service start with the host.'),
  disable: changing('disable', 'Has a service not start with the host.'),
  enabled: telling('Tells whether a service starts with the host.', 'enabled', (services, name, signal) =>
    services.isEnabled(name, signal),
  ),
  disabled: telling(
    'Tells whether a service does not start with the host.',
    'disabled',
    async (services, name, signal) =>
      (await isThere(services, name, signal)) && !(await services.isEnabled(name, signal)),
  ),
  available: telling('Tells whether there is such a service.', 'available', isThere),
  missing: telling('Tells whether there is no such service.', 'missing', async (...ask) => !(await isThere(...ask))),
  get_all: fn(
    { doc: 'The names of all services.', returns: 'a list', examples: ['service.get_all'] },
    async (_, { signal }) => [...(await (await servicesOf()).all(signal))].sort(),
  ),
});
