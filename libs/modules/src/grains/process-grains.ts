/** Grains of the minion itself and of the account that it runs as. */
import { type ValueMap, VERSION } from '@natrium/model';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { SALT_VERSION } from '../salt-version.js';
import { readText } from './read-text.js';

export function processGrains(id: string, config: ValueMap): ValueMap {
  return {
    id,
    master: config['master'] ?? 'salt',
    server_id: serverId(id),
    machine_id: readText('/etc/machine-id') || readText('/var/lib/dbus/machine-id'),
    saltversion: SALT_VERSION,
    natriumversion: VERSION,
    nodeversion: process.versions.node,
    pid: process.pid,
    path: process.env['PATH'] ?? '',
    systempath: (process.env['PATH'] ?? '').split(':'),
    shell: process.env['SHELL'] ?? '/bin/sh',
    ps: 'ps -efHww',
    cwd: process.cwd(),
    init: initSystem(),
    locale_info: localeGrains(),
    timezone: timezone(),
    ...accountGrains(),
  };
}

/** A number that stays the same for an id: SHA-256 modulo 2^31, as Salt's. */
export function serverId(id: string): number {
  return Number(BigInt(`0x${createHash('sha256').update(id).digest('hex')}`) % 2n ** 31n);
}

function accountGrains(): ValueMap {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  return { uid, gid, username: nameFrom('/etc/passwd', uid), groupname: nameFrom('/etc/group', gid) };
}

/** The name with that number in a file of `name:…:number:…` lines; the number itself when nobody has it. */
function nameFrom(path: string, number: number): string {
  const entry = readText(path)
    .split('\n')
    .map((line) => line.split(':'))
    .find((fields) => fields[2] === String(number));
  return entry?.[0] ?? String(number);
}

function initSystem(): string {
  if (existsSync('/run/systemd/system')) return 'systemd';
  const name = readText('/proc/1/comm');
  if (name === 'init') return existsSync('/sbin/openrc') ? 'openrc' : 'sysvinit';
  return name === '' ? 'unknown' : name;
}

function timezone(): string {
  const name = process.env['TZ'] ?? readText('/etc/timezone');
  return name === '' ? Intl.DateTimeFormat().resolvedOptions().timeZone : name;
}

function localeGrains(): ValueMap {
  const word = process.env['LC_ALL'] ?? process.env['LC_CTYPE'] ?? process.env['LANG'] ?? 'C';
  const [language = 'C', encoding = 'unknown'] = word.split('.');
  return { defaultlanguage: language, defaultencoding: encoding, detectedencoding: 'utf-8', timezone: timezone() };
}
