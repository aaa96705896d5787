/** The built-in page as it is served, and the verdict of the gate that it asks for. Its life in a browser: tests/system/ui.spec.ts. */
import { readdirSync } from 'node:fs';
import { inRoot } from '../support/places.js';
import type { HttpWorld } from './world.js';

const FILES = readdirSync(inRoot('apps/master-gateway/src/http/ui')).filter((name) => name !== 'index.html');

export function pageRules(world: HttpWorld): void {
  it.each([['/ui'], ...FILES.map((name) => [`/ui/${name}`])])('%s needs no session and lets nothing else in', async (path) => {
    const { status, headers } = await world.ask(path, { headers: { Accept: '*/*' } });
    expect(status).toBe(200);
    const policy = headers.get('Content-Security-Policy') ?? '';
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"]) {
      expect(policy.split('; ')).toContain(rule);
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('Cache-Control')).toBe('private, no-store');
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f]{24}$/);
  }); // prettier-ignore

  it('holds no script and no style of its own, and names no other host', async () => {
    const { text, headers } = await world.ask('/ui', { headers: { Accept: 'text/html' } });
    expect(headers.get('Content-Type')).toMatch(/^text\/html/);
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="ui/main.mjs">']);
    expect(text).not.toMatch(/<style|\son\w+=|\sstyle=|https?:/);
  });

  it('is found with a slash at its end too, and has nothing beside its files', async () => {
    const { status, headers } = await fetch(`${world.url()}/ui/`, { redirect: 'manual' });
    expect([status, headers.get('Location')]).toEqual([308, '../ui']);
    for (const path of ['/ui/none.mjs', '/ui/..%2fmain.mjs', '/ui/%2e%2e/main.mjs']) {
      expect([path, (await world.ask(path)).status]).toEqual([path, 404]);
    }
    expect((await world.ask('/ui', { method: 'POST', body: '{}' })).status).toBe(405);
    expect((await world.ask('/ui/can-i')).status).toBe(405);
  });
}

export function verdictRules(world: HttpWorld): void {
  it('tells who may: the rule, the minions that are meant, and who of them is not there; and sends nothing', async () => {
    const before = await world.jobCount();
    expect(await verdict(world, 'bob', { fun: 'cmd.run', tgt: 'a', arg: ['id'] })).toEqual({
      status: 200,
      body: { allowed: true, rule: 'external_auth › file › bob › 1 › a* › 0', minions: ['a'], missing: [] },
    }); // prettier-ignore
    expect((await verdict(world, 'bob', { fun: 'test.ping', tgt: 'a,zzz', tgt_type: 'list' })).body).toMatchObject({
      allowed: true,
      minions: ['a'],
      missing: ['zzz'],
    });
    expect((await verdict(world, 'bob', { fun: 'test.ping', tgt: 'zzz*' })).body).toMatchObject({
      allowed: true,
      minions: [],
    });
    expect(await world.jobCount()).toBe(before);
  });

  it('tells who may not: the sentence, and nobody’s id; and sends nothing', async () => {
    const before = await world.jobCount();
    for (const [user, tgt] of [['bob', '*'], ['bob', 'b'], ['carol', 'a']] as const) {
      expect(await verdict(world, user, { fun: 'cmd.run', tgt })).toEqual({
        status: 200,
        body: { allowed: false, code: 'not_permitted', sentence: `token ${user} may not run 'cmd.run' on '${tgt}': no rule permits it` },
      });
    } // prettier-ignore
    expect(await world.jobCount()).toBe(before);
  });

  it('tells the same as the call that follows', async () => {
    const token = await world.tokenOf('bob');
    for (const low of [
      { fun: 'test.ping', tgt: '*' },
      { fun: 'cmd.run', tgt: 'a', arg: ['true'] },
      { fun: 'cmd.run', tgt: '*', arg: ['true'] },
      { fun: 'grains.items', tgt: 'a' },
    ]) {
      const { allowed } = (await verdict(world, 'bob', low)).body as { allowed: boolean };
      expect([low, (await world.low(token, { client: 'local', ...low })).status]).toEqual([low, allowed ? 200 : 401]);
    }
  });

  it('is in the audit like any other decision', async () => {
    const [allowed, refused] = ['ui.allowed', 'ui.refused'];
    for (const [id, tgt] of [[allowed, 'a'], [refused, 'b']] as const) {
      const headers = { 'Content-Type': 'application/json', 'X-Request-Id': id };
      const body = JSON.stringify({ fun: 'cmd.run', tgt });
      await world.ask('/ui/can-i', { token: await world.tokenOf('bob'), headers, body });
    } // prettier-ignore
    const recorded = (id: string) => world.recorded((line) => line.includes(id));
    expect(await recorded(refused)).toEqual([expect.stringContaining('not_permitted')]);
    expect(await recorded(allowed)).toEqual([expect.stringContaining('"bob"')]);
  });
}

export function refusedVerdictRules(world: HttpWorld): void {
  it('reads a form as the other doors do', async () => {
    const { body } = await world.ask('/ui/can-i', {
      token: await world.tokenOf('bob'),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'fun=test.echo&tgt=a&arg=1&arg=x={a: 2}',
    });
    expect(body).toMatchObject({ allowed: true, minions: ['a'] });
  });

  it('takes the cookie where the header is empty', async () => {
    const body = JSON.stringify({ fun: 'test.ping', tgt: '*' });
    const session = { Cookie: `session_id=${await world.tokenOf('bob')}`, 'X-Auth-Token': '' };
    const answer = await world.ask('/ui/can-i', { body, headers: { 'Content-Type': 'application/json', ...session } });
    expect(answer.status).toBe(200);
  });

  it('is refused without a session, with one that has ended, and with that of a page of another origin', async () => {
    const before = await world.jobCount();
    const body = JSON.stringify({ fun: 'test.ping', tgt: '*' });
    const cookie = `session_id=${await world.tokenOf('bob')}`;
    for (const headers of [{}, { 'X-Auth-Token': ''.padEnd(40, '0') }, { Cookie: cookie, Origin: 'http://127.0.0.1:1' }]) {
      const answer = await world.ask('/ui/can-i', { body, headers: { 'Content-Type': 'application/json', ...headers } });
      expect(answer.status).toBe(401);
      expect(answer.text).not.toMatch(/allowed|minions/);
    } // prettier-ignore
    expect(await world.jobCount()).toBe(before);
  });

  it.each([
    [400, '[]'],
    [400, '{'],
    [400, '{"tgt":"*"}'],
    [400, '{"fun":"test.ping"}'],
    [400, '{"fun":"test.ping","tgt":"x","tgt_type":"none"}'],
    [413, ''.padEnd(70_000, ' ')],
  ])('is %s for a body that is malformed', async (status, body) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await world.ask('/ui/can-i', { token: await world.tokenOf('bob'), headers, body });
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([status, expect.anything()]);
  });
}

async function verdict(world: HttpWorld, user: 'bob' | 'carol', low: object) {
  const { status, body } = await world.ask('/ui/can-i', {
    token: await world.tokenOf(user),
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(low),
  });
  return { status, body };
}
