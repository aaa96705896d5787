/** The commands' way to the master: one session of the calling account, as the port that they know. */
import type { MasterClient } from '@natrium/client';
import type { MasterConfig } from '@natrium/config';
import { CONNECTED } from '@natrium/flow';
import { ok, type Refusal, type Result } from '@natrium/model';
import { type LiveTracing, openTracing } from '@natrium/tracing';
import { type CommandDefaults, commandDefaults } from '../common/command-defaults.js';
import type { ConnectMaster, JobAsk, MasterLink, PreviewAsk } from '../ports.js';
import { readInventory } from './inventory-port.js';
import { keyPort } from './key-port.js';
import { logIn } from './log-in.js';
import { openMaster } from './open-master.js';

export const connectMaster: ConnectMaster = async ({ configDir, login, tell }) => {
  const opened = await openMaster(configDir, { keyless: login !== undefined, openTracing: openTraces, tell });
  if (!opened.ok) return opened;
  const { client, transport, fingerprint, link, traces, config } = opened.value;
  const close = async () => {
    await transport.drain();
    await traces.close();
  };
  const parts = { close, fingerprint, defaults: commandDefaults(config) };
  if (login === undefined) return ok(linkTo(client, parts));
  const user = await logIn(login, client, link);
  if (!user.ok) {
    await close();
    return user;
  }
  return ok({
    ...linkTo(user.value.client, parts),
    close: async () => {
      await user.value.logout();
      await close();
    },
  });
};

/** Nobody is told when nobody takes them: a command's own words are what is read. */
function openTraces({ trace_endpoint: endpoint, trace_ratio: ratio, cluster }: MasterConfig): Promise<LiveTracing> {
  const instance = String(process.pid);
  return openTracing({ endpoint, ratio, cluster, service: 'cli', instance, onProblem: () => undefined });
}

interface LinkParts {
  readonly close: () => Promise<void>;
  readonly fingerprint: string;
  readonly defaults: CommandDefaults;
}

function linkTo(client: MasterClient, { close, fingerprint, defaults }: LinkParts): MasterLink {
  return {
    defaults,
    publish: (ask) => client.publish(ask),
    inBatches: (ask) => client.inBatches(ask),
    publishAsync: (ask) => client.publishAsync(ask),
    preview: (ask) => preview(client, ask),
    run: ({ async: detached, ...ask }, onJid) => client.run(ask, detached === true ? 'jid' : 'all', onJid),
    keys: keyPort(client, fingerprint),
    inventory: () => readInventory(client),
    close,
  };
}

async function preview(
  client: MasterClient,
  { funs = ['test.ping'], args = [[]], connected = false, ...target }: PreviewAsk,
): Promise<Result<readonly string[], Refusal>> {
  const options = connected ? { [CONNECTED]: true } : {};
  const ask: JobAsk = { ...target, funs, args, timeout: 5, returner: '', returnerOptions: {}, options };
  const ticket = await client.publishAsync(ask, 'preview');
  return ticket.ok ? ok(ticket.value.minions) : ticket;
}
