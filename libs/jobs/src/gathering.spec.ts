/** Rules of a job's gathering: only who was asked may answer, once, and the end says why somebody is missing. */
import { Gathering } from './gathering.js';

const aGathering = (...ids: readonly string[]) => new Gathering(new Map(ids.map((id) => [`key of ${id}`, id])));

describe('a gathering', () => {
  it('takes the return of a minion that was asked, once', () => {
    const gathering = aGathering('web1', 'web2');
    expect(gathering.returned('key of web1')).toBe('first');
    expect(gathering.returned('key of web1')).toBe('again');
    expect(gathering.complete).toBe(false);
  });

  it('refuses a key that was not asked, and a name in place of a key', () => {
    const gathering = aGathering('web1');
    expect(gathering.returned('key of db1')).toBe('stranger');
    expect(gathering.returned('web1')).toBe('stranger');
    expect(gathering.idOf('web1')).toBeUndefined();
    expect(gathering.complete).toBe(false);
  });

  it('is complete at the last return', () => {
    const gathering = aGathering('web1', 'web2');
    gathering.returned('key of web1');
    expect(gathering.complete).toBe(false);
    gathering.returned('key of web2');
    expect(gathering.complete).toBe(true);
    expect(gathering.end()).toEqual([]);
  });

  it('is complete at once when nobody was asked', () => {
    expect(aGathering().complete).toBe(true);
  });

  it('counts nobody twice: a repeated return or a second giving up leaves the others waited for', () => {
    const gathering = aGathering('web1', 'web2', 'db1');
    gathering.returned('key of web1');
    gathering.returned('key of web1');
    expect(gathering.givenUp('key of web2', 'not_connected')).toBe(true);
    expect(gathering.givenUp('key of web2', 'not_connected')).toBe(false);
    expect(gathering.complete).toBe(false);
  });

  it('names at its end who is not connected, who refused and why, and who is still running', () => {
    const gathering = aGathering('web1', 'web2', 'db1', 'db2');
    gathering.returned('key of web1');
    gathering.givenUp('key of web2', 'not_connected');
    gathering.givenUp('key of db1', 'refused', 'db1 refused the job');
    expect(gathering.end()).toEqual([
      { id: 'web2', why: 'not_connected' },
      { id: 'db1', why: 'refused', sentence: 'db1 refused the job' },
      { id: 'db2', why: 'running' },
    ]);
    expect(gathering.ended).toBe(true);
  });

  it('takes the return of one that was given up, who is then no longer missing', () => {
    const gathering = aGathering('web1', 'web2');
    gathering.givenUp('key of web1', 'not_connected');
    expect(gathering.returned('key of web1')).toBe('first');
    gathering.returned('key of web2');
    expect(gathering.complete).toBe(true);
    expect(gathering.end()).toEqual([]);
  });

  it('does not give up one that has returned, nor a stranger', () => {
    const gathering = aGathering('web1');
    gathering.returned('key of web1');
    expect(gathering.givenUp('key of web1', 'not_connected')).toBe(false);
    expect(gathering.givenUp('key of db1', 'not_connected')).toBe(false);
    expect(gathering.end()).toEqual([]);
  });

  it('takes a late return after its end', () => {
    const gathering = aGathering('web1');
    expect(gathering.end()).toEqual([{ id: 'web1', why: 'running' }]);
    expect(gathering.returned('key of web1')).toBe('first');
    expect(gathering.complete).toBe(true);
  });
});
