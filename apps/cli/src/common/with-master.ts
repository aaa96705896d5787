import { configDirOf } from './common-options.js';
import { loginOf } from './login.js';
import type { Options } from './options.js';
import { notConnected, say } from './refused.js';
import type { ConnectMaster, Io, MasterLink } from '../ports.js';

/** Connects, does `body`, closes; without a master it says why and answers that exit code. */
export async function withMaster(
  connectMaster: ConnectMaster,
  options: Options,
  io: Io,
  body: (link: MasterLink) => Promise<number>,
): Promise<number> {
  const login = await loginOf(options, io);
  if (!login.ok) return notConnected(login.error, io);
  const tell = (sentence: string) => {
    say(sentence, io);
  };
  const link = await connectMaster({ configDir: configDirOf(options, io), ...login.value, tell });
  if (!link.ok) return notConnected(link.error, io);
  try {
    return await body(link.value);
  } finally {
    await link.value.close();
  }
}
