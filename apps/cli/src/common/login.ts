/**
 * `-a BACKEND`: who asks is an external user. With `-T` the token of the login is kept in a file of the account, and a later
 * `-a BACKEND` without a name uses it.
 */
import type { Command } from 'commander';
import { err, messageOf, ok, type Result } from '@natrium/model';
import { accountName } from '../accounts/own-identity.js';
import type { ConnectProblem, Io, LoginOptions } from '../ports.js';
import { EXIT } from './exit-codes.js';
import { CTRL_C, INTERRUPTED, orInterrupt } from './interrupt.js';
import { type Options, UsageError } from './options.js';
import { alias } from './program.js';

/** Options that mean nothing without `-a`. */
const NEEDS_EAUTH = [
  ['username', '--username'],
  ['password', '--password'],
  ['makeToken', '--make-token'],
] as const;

export function addLoginOptions(command: Command): void {
  command.optionsGroup('Login as an external user (otherwise this account asks, with its own key):');
  command.option('-a, --eauth <backend>', 'the back end of external_auth: ldap, pam, file, …');
  command.option('--username <name>', 'the name there (else it is asked for; empty: this account)');
  command.option('--password <text>', 'the password there; better leave it out: it is asked for, or read from a pipe');
  command.option('-T, --make-token', 'keep a token of the login; later -a alone is enough, until it expires');
  alias(command, '--auth <backend>', 'eauth');
  alias(command, '--external-auth <backend>', 'eauth');
}

/** Whether anything on the command line is about who asks. */
export function hasLogin(options: Options): boolean {
  return (options.text('eauth') ?? '') !== '' || NEEDS_EAUTH.some(([name]) => options.given(name));
}

/** @throws {UsageError} */
export async function loginOf(
  options: Options,
  io: Io,
): Promise<Result<{ readonly login?: LoginOptions }, ConnectProblem>> {
  if (!hasLogin(options)) return ok({});
  const eauth = options.text('eauth') ?? '';
  const stray = NEEDS_EAUTH.find(([name]) => options.given(name));
  if (eauth === '') throw new UsageError(`option ${stray?.[1] ?? '-a'}: name the back end with -a`);
  return stray === undefined ? orKept(eauth, options, io) : typed(eauth, options, io);
}

function orKept(eauth: string, options: Options, io: Io): ReturnType<typeof loginOf> {
  let token: string | undefined;
  try {
    token = io.tokenFile.read();
  } catch (error) {
    return Promise.resolve(err({ sentence: messageOf(error), exit: EXIT.denied }));
  }
  return token === undefined ? typed(eauth, options, io) : Promise.resolve(ok({ login: { eauth, token } }));
}

async function typed(eauth: string, options: Options, io: Io): ReturnType<typeof loginOf> {
  const named = await givenOr(options.text('username'), 'username', io);
  if (!named.ok) return named;
  // As in Salt, Enter alone is the account that asks.
  const username = named.value === '' ? accountName() : named.value;
  const secret = await givenOr(options.text('password'), 'password', io);
  if (!secret.ok) return secret;
  const keep = (token: string) => {
    try {
      io.tokenFile.write(token);
      return true;
    } catch (error) {
      // As in Salt what was asked is done all the same.
      const why = messageOf(error);
      io.err(`the token was not kept in ${io.tokenFile.path} (${why}); it ends with this command\n`);
      return false;
    }
  };
  return ok({
    login: { eauth, username, secret: secret.value, ...(options.flag('makeToken') ? { keep } : {}) },
  });
}

async function givenOr(
  given: string | undefined,
  what: 'username' | 'password',
  io: Io,
): Promise<Result<string, ConnectProblem>> {
  const answer = given ?? (await orInterrupt(io.prompt(`${what}: `, { secret: what === 'password' }), io));
  if (answer === INTERRUPTED) return err({ sentence: CTRL_C, exit: EXIT.interrupted });
  if (answer === undefined || (answer === '' && what === 'password'))
    return err({ sentence: `no ${what} was given`, exit: EXIT.denied });
  return ok(answer);
}
