import { err, ok, type Result } from '@natrium/model';
import { PolicyReload } from './policy-reload.js';

interface Fake {
  readonly revision: string;
  readonly made: number;
}

function aReload() {
  const told: string[] = [];
  let next: Result<Fake, readonly string[]> = ok({ revision: 'a', made: 0 });
  const reload = new PolicyReload<Fake, string>(
    { revision: 'a', made: 0 },
    {
      load: () => next,
      revisionOf: ({ revision }) => revision,
      adopted: (policy, before) => told.push(`${before.revision} -> ${policy.revision}`),
      kept: (problems, { revision }) => told.push(`${revision} stays: ${problems.join()}`),
    },
  );
  return {
    told,
    reload,
    become: (loaded: Result<Fake, readonly string[]>) => {
      next = loaded;
      reload.reload();
      return reload.current;
    },
  };
}

describe('the policy in force', () => {
  it('is replaced whole by one that loads', () => {
    const { become, told } = aReload();
    expect(become(ok({ revision: 'b', made: 1 }))).toEqual({ revision: 'b', made: 1 });
    expect(told).toEqual(['a -> b']);
  });

  it('stays when what loads has problems, which are told', () => {
    const { become, told } = aReload();
    expect(become(err(['no rule', 'no target']))).toEqual({ revision: 'a', made: 0 });
    expect(told).toEqual(['a stays: no rule,no target']);
    expect(become(ok({ revision: 'c', made: 2 })).revision).toBe('c');
  });

  it('stays the very object when the same policy loads again', () => {
    const { become, told } = aReload();
    expect(become(ok({ revision: 'a', made: 7 })).made).toBe(0);
    expect(told).toEqual([]);
  });

  it('is not changed for whoever has taken it', () => {
    const { become, reload } = aReload();
    const taken = reload.current;
    become(ok({ revision: 'b', made: 1 }));
    expect(taken.revision).toBe('a');
  });
});
