/** Which session a request carries that has several cookies, or none of ours. */
import { UnauthorizedException } from '@nestjs/common';
import { sessionIn } from './guards.js';

const [OLD, NEW] = ['a'.repeat(40), 'b'.repeat(40)];

describe('a session’s cookie', () => {
  it.each([
    [`session_id=${NEW}`],
    [`a=b; session_id="${NEW}"; c=d`],
    // As in Salt's server: another application of the same domain has a cookie of this name, too.
    [`session_id=${OLD}; session_id=${NEW}`],
    [`session_id=other; a=b;session_id="${NEW}"`],
    [`session_id=${NEW}; xsession_id=${OLD}; session_ids=${OLD}`],
  ])('is the last of that name: %s', (cookie) => {
    expect(sessionIn({ headers: { cookie } })).toBe(NEW);
  });

  it.each([[`session_id=${NEW}; session_id=other`], ['a=b'], ['session_id=']])('is none in %s', (cookie) => {
    expect(() => sessionIn({ headers: { cookie } })).toThrow(UnauthorizedException);
  });
});
