/**
 * A job as this page knows it: what the event bus said of it, and what the job cache says. Whatever changes it, or one of its
 * returns, makes another `version` of that, and what shows it is drawn anew.
 */

/** Stands in an event for a return that is too large for one. The job cache has all of it. */
const TRIMMED = 'VALUE_TRIMMED';

export function newJob(jid) {
  return { jid, fun: '', args: [], tgt: '', tgtType: '', user: '', returns: new Map(), mayLack: false, version: 0 };
}

/** What an event says of a job; a script of the master may fire such a tag too, with anything in it. */
export function begun(job, { fun, arg, tgt = '', tgt_type: tgtType, user = '', minions }) {
  const known = Array.isArray(minions) ? { minions } : {};
  take(job, { fun: called(fun), args: listed(arg), tgt, tgtType, user, ...known });
}

export function returned(job, id, { fun, fun_args: args, user = '', return: ret, retcode, success }) {
  take(job, { fun: called(fun), args: listed(args), user });
  takeReturn(job, id, { ret, retcode, success });
}

/** What the job cache says, in Salt's words; what was heard is not forgotten for it. */
export function learn(job, told) {
  const { Function: fun, Arguments, Target: tgt, 'Target-type': tgtType, User: user, Minions, Result } = told;
  if (fun !== undefined) take(job, { fun: called(fun), args: Arguments ?? [], tgt, tgtType, user });
  if (Minions !== undefined) take(job, { minions: Minions, mayLack: false });
  for (const [id, one] of Object.entries(Result ?? {})) {
    takeReturn(job, id, { ret: one.return, retcode: one.retcode, success: one.success });
  }
}

/** Whether of this return no more is known than that it is too large for an event. */
export function isTrimmed(job, id) {
  return job.returns.get(id)?.ret === TRIMMED;
}

export function progress({ minions, returns, mayLack }) {
  if (minions === undefined) return returns.size === 0 ? '–' : String(returns.size);
  const least = mayLack && returns.size < minions.length ? 'at least ' : '';
  return `${least}${returns.size} of ${minions.length}`;
}

function takeReturn(job, id, told) {
  const known = job.returns.get(id);
  // The value itself may be known already.
  if (known !== undefined && told.ret === TRIMMED) return;
  const one = known ?? { version: 0 };
  job.returns.set(id, one);
  take(one, told);
}

function take(one, told) {
  const isNew = Object.entries(told).some(([key, value]) => JSON.stringify(one[key]) !== JSON.stringify(value));
  if (isNew) Object.assign(one, told, { version: one.version + 1 });
}

function called(fun) {
  return [fun].flat().join(', ');
}

function listed(value) {
  return Array.isArray(value) ? value : [];
}
