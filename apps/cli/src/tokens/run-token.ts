/** `natriumctl token`: who is logged in through `external_auth`, and the end of it. A token is named by its hash, which proves nothing. */
import type { MasterClient } from '@natrium/client';
import { isList, isMap, type Value, type ValueMap } from '@natrium/model';
import { disarm, printableJson } from '@natrium/output';
import { EXIT } from '../common/exit-codes.js';
import { notConnected, refused, say } from '../common/refused.js';
import { openMaster } from '../link/open-master.js';
import type { Io, TokenOptions } from '../ports.js';

const SHOWN_ID = 12;

export async function runToken(options: TokenOptions, io: Io): Promise<number> {
  const open = await openMaster(options.configDir);
  if (!open.ok) return notConnected(open.error, io);
  try {
    return options.verb === 'list'
      ? await list(open.value.client, options, io)
      : await revoke(open.value.client, options, io);
  } finally {
    await open.value.transport.drain();
  }
}

async function list(client: MasterClient, { json }: TokenOptions, io: Io): Promise<number> {
  const answer = await client.admin('token', 'token.list', []);
  if (!answer.ok) return refused(answer.error, io);
  const tokens =
    isMap(answer.value) && isList(answer.value['tokens']) ? answer.value['tokens'].filter((one) => isMap(one)) : [];
  for (const token of tokens) io.out(`${json ? printableJson(JSON.stringify(token)) : line(token)}\n`);
  return EXIT.ok;
}

async function revoke(client: MasterClient, { id, user, eauth }: TokenOptions, io: Io): Promise<number> {
  const named = user === undefined ? { id: id ?? '' } : { user, ...(eauth === undefined ? {} : { eauth }) };
  const answer = await client.admin('token', 'token.revoke', [named]);
  if (!answer.ok) return refused(answer.error, io);
  const count = isMap(answer.value) ? Number(answer.value['revoked']) : 0;
  if (count === 0) {
    say(`natriumctl: ${user ?? ''} has no token; natriumctl token list shows those that there are`, io);
    return EXIT.failed;
  }
  io.out(`revoked: ${String(count)}\n`);
  return EXIT.ok;
}

function line({ id, user, eauth, use, expires }: ValueMap): string {
  const until = typeof expires === 'number' ? new Date(expires).toISOString() : '';
  return `${text(id).slice(0, SHOWN_ID)}  ${text(user)}  ${text(eauth)}  ${text(use)}  until ${until}`;
}

/** Names come from outside: what a terminal obeys is not shown as it is. */
function text(value: Value | undefined): string {
  return typeof value === 'string' ? disarm(value) : '';
}
