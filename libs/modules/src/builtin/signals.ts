/** Signals, as callers write them. */
import { constants } from 'node:os';
import { pyStr, type Value } from '@natrium/model';
import { InvocationError } from '../loader/errors.js';

/** The number of a signal given as `15`, `TERM` or `SIGTERM`. @throws {InvocationError} When there is none. */
export function signalNumber(sig: Value): number {
  const known = new Map<string, number>(Object.entries(constants.signals));
  const word = pyStr(sig).toUpperCase();
  const number = known.get(word) ?? known.get(`SIG${word}`) ?? Number(word);
  if ([...known.values()].includes(number)) return number;
  throw new InvocationError(`there is no signal ${pyStr(sig)}`);
}
