/** One sentence for an address that cannot be listened on: which one, why, and what to do. */
import { codeOf } from '@natrium/model';

const MENDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there: end it (ss -ltnp names it), or set another port',
  EACCES:
    'a port below 1024 is for root, or for a unit with AmbientCapabilities=CAP_NET_BIND_SERVICE (docs/http-api.md): allow it, or set another port',
  EADDRNOTAVAIL: 'this host has no such address: set one of its own',
  ENOTFOUND: 'there is no host of that name: set an address of this host',
};

/** @param what Listens there, as the operator knows it. @param settings Where the address is set. */
export function listenTrouble(
  { host, port }: { readonly host: string; readonly port: number },
  { what, settings, cause }: { readonly what: string; readonly settings: string; readonly cause: unknown },
): unknown {
  const code = codeOf(cause) ?? '';
  const mend = MENDS[code];
  if (mend === undefined) return cause;
  const where = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  return new Error(`${what} cannot listen on ${where} (${code}): ${mend} (${settings})`, { cause });
}
