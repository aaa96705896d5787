/** `natriumctl swarm`: simulated minions in the foreground, until Ctrl-C. */
import { messageOf } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { untilToldToStop } from '../common/interrupt.js';
import { withMend } from '../common/refused.js';
import { shellWord } from '../common/shell-quoted.js';
import { openMaster } from '../link/open-master.js';
import type { Io, SwarmOptions } from '../ports.js';
import { Swarm } from './swarm.js';

const PROGRESS_MS = 1000;

export async function runSwarm(options: SwarmOptions, io: Io): Promise<number> {
  const opened = await openMaster(options.configDir);
  if (!opened.ok) {
    io.err(`natriumctl: error: ${withMend(opened.error)}\n`);
    return opened.error.exit;
  }
  const master = opened.value;
  const interrupted = untilToldToStop(io);
  const swarm = new Swarm(master, options, tellingTo(io, options.minions));
  try {
    if (options.minions > 0) await Promise.race([live(swarm, options, io), interrupted]);
    await swarm.stop();
    if (options.forget) io.out(`${String(await swarm.forget())} keys deleted\n`);
    return EXIT.ok;
  } catch (error) {
    io.err(`natriumctl: error: ${messageOf(error)}\n`);
    return EXIT.failed;
  } finally {
    await swarm.stop();
    await master.transport.drain();
  }
}

/** @throws {Error} When it cannot begin, or a part of it ends by itself. */
async function live(swarm: Swarm, { minions, prefix, configDir }: SwarmOptions, io: Io): Promise<never> {
  const began = io.now();
  await swarm.start();
  await swarm.pingAll();
  const seconds = ((io.now() - began) / 1000).toFixed(1);
  io.out(
    `ready: ${String(minions)} minions in ${seconds} s; natrium -c ${shellWord(configDir)} '${prefix}*' test.ping\n`,
  );
  throw new Error(`a process of the swarm ended: ${await swarm.broken}`);
}

function tellingTo(io: Io, minions: number) {
  let toldAt = 0;
  return {
    progress: (count: number) => {
      if (io.now() < toldAt + PROGRESS_MS) return;
      toldAt = io.now();
      io.err(`natriumctl: ${String(count)} of ${String(minions)} minions are connected\n`);
    },
    note: (sentence: string) => {
      io.err(`natriumctl: ${sentence}\n`);
    },
  };
}
