/** Rules of a question to a role: it waits for a replica while there is none, for as long as nobody has heard it. */
import type { KnownParty } from '@natrium/envelope';
import { err, ok } from '@natrium/model';
import { contracts } from '@natrium/wire';
import { askUntilHeard } from './ask-until-heard.js';
import type { Question } from './asking.js';
import type { AskFailure } from './conversation.js';

const TIMEOUT_MS = 300;
const PARTY = { owner: { type: 'role', role: 'acl', instance: 'a1' } } as unknown as KnownParty;

/** A role of which nobody answers as long as there are failures to tell. */
class Role {
  /** How long each question may take, and how many replicas it was sealed to. */
  readonly asked: { readonly timeoutMs: number; readonly to: number }[] = [];
  parties: readonly KnownParty[] = [];

  constructor(private readonly failures: AskFailure[]) {}

  ask(mostMs = TIMEOUT_MS): Promise<unknown> {
    const ask = (question: Question<typeof contracts.auth>, _answers: unknown, timeoutMs: number) => {
      this.asked.push({ timeoutMs, to: question.to().length });
      const failure = this.failures.shift();
      this.parties = [PARTY];
      return Promise.resolve(failure === undefined ? ok('answered') : err(failure));
    };
    const bus = { ask } as unknown as Parameters<typeof askUntilHeard>[0];
    const to = () => this.parties;
    const question = { contract: contracts.auth, body: {} as never, subject: 'nt.main.svc.acl.auth', to };
    return askUntilHeard(bus, question, contracts.authed, mostMs);
  }
}

it('asks again, whoever is known by then, until one has heard it', async () => {
  const role = new Role(['nobody_known', 'no_responders', 'no_responders']);
  expect(await role.ask()).toEqual({ ok: true, value: 'answered' });
  expect(role.asked.map(({ to }) => to)).toEqual([0, 1, 1, 1]);
});

it('gives each question what is left of the time, and ends in it', async () => {
  const role = new Role(Array.from({ length: 1000 }, () => 'no_responders'));
  expect(await role.ask()).toEqual({ ok: false, error: 'no_responders' });
  const times = role.asked.map(({ timeoutMs }) => timeoutMs);
  expect(times.length).toBeGreaterThan(1);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect(times.every((ms) => ms > 0 && ms <= TIMEOUT_MS)).toBe(true);
});

it('waits two seconds for somebody, however long an answer may take', async () => {
  const role = new Role(Array.from({ length: 1000 }, () => 'no_responders'));
  expect(await role.ask(60_000)).toEqual({ ok: false, error: 'no_responders' });
  expect(role.asked.at(-1)?.timeoutMs).toBeGreaterThan(50_000);
});

it.each<AskFailure>(['timeout', 'turned_away'])('asks once where somebody may have heard it: %s', async (failure) => {
  const role = new Role([failure]);
  expect(await role.ask()).toEqual({ ok: false, error: failure });
  expect(role.asked).toHaveLength(1);
});
