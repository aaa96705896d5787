/** A cluster that is being started: on a busy machine its services are there and slow, and what is slow is not gone. */
import { setTimeout as pause } from 'node:timers/promises';
import { NOT_NOW, type Refusal, type RefusalCode, type Result } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import type { ConnectProblem, MasterLink } from '../ports.js';

export interface Young {
  /** Of its minions. */
  readonly ids: readonly string[];
  now(): number;
  /** How long they may take. */
  readonly waitMs: number;
  /** No process of it has ended: what is refused now may be granted in a moment. */
  isWhole(): boolean;
}

export const AGAIN_MS = 100;
const PASSING: readonly RefusalCode[] = [...NOT_NOW, 'master_unreachable'];

/** @returns The sentence of a refusal that passes by itself, so that the same is asked again. @throws {Error} With that of any other. */
export function passingOf({ code, sentence }: Refusal, young: Pick<Young, 'isWhole'>): string {
  if (PASSING.includes(code) && young.isWhole()) return sentence;
  throw new Error(sentence);
}

/** What was waited for. Which process has ended is told where it ends. */
export function inVain(what: string, young: Pick<Young, 'isWhole'>): Error {
  return new Error(young.isWhole() ? what : `${what}: a process of the cluster has ended`);
}

/** @param tell Hears once what is waited for. @throws {Error} With what keeps the operator out, when that stays. */
export async function linkedTo(
  connect: () => Promise<Result<MasterLink, ConnectProblem>>,
  young: Young,
  tell: (sentence: string) => void,
): Promise<MasterLink> {
  let isTold = false;
  for (const until = young.now() + young.waitMs; ;) {
    const link = await connect();
    if (link.ok) return link.value;
    const passes = link.error.exit === EXIT.unavailable && young.isWhole();
    if (!passes || young.now() >= until) throw new Error(link.error.sentence);
    if (!isTold) tell(`${link.error.sentence}; trying on for up to ${String(young.waitMs / 1000)} s`);
    isTold = true;
    await pause(AGAIN_MS);
  }
}
