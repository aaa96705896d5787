/**
 * Tags: which text is one, and which a minion may fire. What Salt itself says on the master bus, and what it says of
 * another minion, no minion can say: a script or a reactor that hears it may rely on it.
 *
 * Spec: docs/event-bus.md#who-may-fire-what.
 */
const MAX_TAG = 512;
const JID = /^\d{20}$/;

/** Why the text is no tag; undefined when it is one. */
export function tagProblem(tag: unknown): string | undefined {
  if (typeof tag !== 'string' || tag === '') return 'an event needs a tag';
  if (tag.length > MAX_TAG) return `a tag has at most ${String(MAX_TAG)} characters`;
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(tag)) return 'a tag has no control characters and no line breaks';
  return undefined;
}

/** Why a runner may not fire this tag; undefined when it may. What Salt itself says is for the services alone. */
export function runnerTagProblem(tag: string): string | undefined {
  const problem = commonProblem(tag);
  if (problem !== undefined) return problem;
  if (tag.startsWith('minion/refresh/')) return 'it names a minion';
  return isSalts(tag) ? 'tags under salt/ are the services’ own' : undefined;
}

/** Why a minion may not fire this tag at the master; undefined when it may. */
export function minionTagProblem(id: string, tag: string): string | undefined {
  const problem = commonProblem(tag);
  if (problem !== undefined) return problem;
  if (tag.startsWith('minion/refresh/')) return tag === `minion/refresh/${id}` ? undefined : 'it names another minion';
  if (!isSalts(tag)) return undefined;
  for (const own of ['salt/minion/', 'salt/beacon/', 'salt/engine/']) {
    if (tag.startsWith(`${own}${id}/`)) return undefined;
  }
  return `under salt/ a minion fires only below salt/minion/${id}/, salt/beacon/${id}/ and salt/engine/${id}/`;
}

function commonProblem(tag: string): string | undefined {
  const problem = tagProblem(tag);
  if (problem !== undefined) return problem;
  if (JID.test(tag)) return 'a job id alone is the master’s own tag';
  if (tag.startsWith('natrium/')) return 'tags under natrium/ are the services’ own';
  return tag.startsWith('syndic/') ? 'tags under syndic/ are a master’s own' : undefined;
}

function isSalts(tag: string): boolean {
  return tag === 'salt' || tag.startsWith('salt/');
}
