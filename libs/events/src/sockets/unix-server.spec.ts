/** Rules of a socket's place: who has it, and what is left of it. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenAt, listenForOwner, type UnixServer } from './unix-server.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-unix-'));
  path = join(folder, 'event.sock');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function named(name: string): Promise<UnixServer> {
  return listenAt({ path }, (socket) => socket.end(name));
}

async function whoAnswers(): Promise<string> {
  const [said] = (await once(connect(path), 'data')) as [Buffer];
  return said.toString();
}

function modeOfNew(name: string): number {
  mkdirSync(join(folder, name));
  return statSync(join(folder, name)).mode;
}

it('who is closed removes its own socket, and not the one that another has put in its place', async () => {
  const first = await named('first');
  expect([first.inPlace(), await whoAnswers()]).toEqual([true, 'first']);
  const second = await named('second');
  expect([first.inPlace(), second.inPlace()]).toEqual([false, true]);
  first.close();
  expect(await whoAnswers()).toBe('second');
  second.close();
  expect(readdirSync(folder)).toEqual([]);
});

it('two that listen at one path in the same moment both get there, and folders are made as before', async () => {
  const before = modeOfNew('before');
  const [one, other] = await Promise.all([named('one'), named('other')]);
  expect([one.inPlace(), other.inPlace()].filter((is) => is)).toHaveLength(1);
  expect(modeOfNew('after')).toBe(before);
  one.close();
  other.close();
  expect(existsSync(path)).toBe(false);
});

it('what cannot get to its place is not left behind', async () => {
  mkdirSync(join(path, 'in-the-way'), { recursive: true });
  await expect(named('none')).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['event.sock']);
});

it('who may not listen is told in which folder, and not of a file that never was', async () => {
  const away = join(folder, 'away');
  await expect(listenForOwner(createServer(), join(away, '.1a2b3c.event.sock'))).rejects.toMatchObject({
    message: expect.stringMatching(`^no socket can be made in ${away} \\(E[A-Z]+\\)$`) as string,
    code: expect.any(String) as string,
  });
});
