/** Rules of what others see of this host, from its file on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMinionConfig, shownMinion } from '@natrium/config';
import { gatherGrains, GrainsFile } from '@natrium/modules';
import { pino } from 'pino';
import { grainsSet, shownGrains } from './host-facts.js';

const log = pino({ enabled: false });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'host-facts-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function configOf(text: string) {
  writeFileSync(join(folder, 'minion'), `id: web1\n${text}`);
  const loaded = loadMinionConfig(folder);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value.config;
}

describe('the grain master', () => {
  it.each([
    ['master: salt.example', 'salt.example'],
    ['master: [m1, m2]', 'm1'],
    ['master: m1:4506', 'm1'],
    ['master: fe80::1', 'fe80::1'],
    ['master: "[::1]:4334"', '::1'],
    ['master: m1\nnats: nats://b1:4222', 'm1'],
    ['nats: [nats://b1:4222, b2]', 'b1'],
    ['nats: tls://user:s3cret@b1', 'b1'],
    ['', '127.0.0.1'],
  ])('is one text, as in Salt: the host of the first one, or else of the broker: %j', (text, master) => {
    const shown = shownMinion(configOf(text));
    expect(gatherGrains('web1', shown)['master']).toBe(master);
    expect(shown).toMatchObject({ id: 'web1', master });
  });
});

describe('before a host is accepted', () => {
  it('its master is told the grains that it is to be known by, and no other', () => {
    expect(shownGrains(configOf('master: [m1, m2]\nautosign_grains: [master]'), log)).toEqual({ master: 'm1' });
    expect(shownGrains(configOf('master: m1'), log)).toEqual({});
  });

  it('its master is told none that no newcomer’s message holds, which would end its agent', () => {
    const wide = (count: number) =>
      `autosign_grains: [wide]\ngrains:\n  wide: [${Array.from({ length: count }, () => 1).join()}]`;
    expect(shownGrains(configOf(wide(1000)), log)).toHaveProperty('wide');
    expect(shownGrains(configOf(wide(1020)), log)).toEqual({});
  });
});

it('grains that were set here stay as they are while their file cannot be read, which is told; a file that is gone has none', () => {
  const file = new GrainsFile(folder);
  const faults: string[] = [];
  const set = grainsSet(file, log);
  const grains = () => set(() => faults.push('fault'));
  expect(grains()).toEqual({});
  writeFileSync(file.path, 'role: web');
  expect([grains(), faults]).toEqual([{ role: 'web' }, []]);
  writeFileSync(file.path, 'role: [web');
  expect([grains(), faults]).toEqual([{ role: 'web' }, ['fault']]);
  writeFileSync(file.path, 'role: db');
  expect(grains()).toEqual({ role: 'db' });
  rmSync(file.path);
  expect([grains(), faults]).toEqual([{}, ['fault']]);
});
