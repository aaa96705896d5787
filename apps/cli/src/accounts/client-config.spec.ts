import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { loadMasterConfig, type MasterConfig } from '@natrium/config';
import { commandDefaults } from '../common/command-defaults.js';
import { clientConfigText, loadClientConfig } from './client-config.js';

function loaded(text: string): MasterConfig {
  const folder = mkdtempSync(join(tmpdir(), 'nt-client-'));
  try {
    writeFileSync(join(folder, 'master'), text);
    const result = loadMasterConfig(folder);
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    return result.value.config;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the configuration of an account that may not read the master file', () => {
  it('has its commands wait and show as those of the master account', () => {
    const master = loaded(
      'timeout: 30\nrunner_timeout: 600\ncli_summary: True\nshow_jid: True\nshow_timeout: False\n' +
        'batch_safe_limit: 100\nbatch_safe_size: 10%\n',
    );
    expect(commandDefaults(loaded(clientConfigText(master)))).toEqual({
      timeout: 30,
      runnerTimeout: 600,
      summary: true,
      showJid: true,
      showTimeout: false,
      batchSafeLimit: 100,
      batchSafeSize: '10%',
    });
  });

  it('says what is so where the master file says nothing', () => {
    const own = commandDefaults(loaded(clientConfigText(loaded(''))));
    expect(own).toEqual({
      timeout: 5,
      runnerTimeout: 60,
      summary: false,
      showJid: false,
      showTimeout: true,
      batchSafeLimit: 0,
      batchSafeSize: '8',
    });
  });

  it('says where the sockets are that event_acl makes for it', () => {
    expect(loaded(clientConfigText(loaded('sock_dir: /run/of-ours\n'))).sock_dir).toBe('/run/of-ours');
  });

  it('holds none of the secrets and lists of the master file', () => {
    const text = clientConfigText(
      loaded('sharedsecret: canary-canary-canary-canary-canary\npeer: {web1: [test.ping]}\n'),
    );
    expect(text).not.toMatch(/canary|peer/);
  });
});

describe('a master file of which a part cannot be read', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nt-client-'));
    for (const name of ['master.d', 'client']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'master'), 'timeout: 7\n');
    symlinkSync(join(folder, 'nowhere'), join(folder, 'master.d', 'part.conf'));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  const timeoutFor = (uid: number) => {
    jest.spyOn(process as Required<Pick<NodeJS.Process, 'geteuid'>>, 'geteuid').mockReturnValue(uid);
    const loaded = loadClientConfig(folder);
    return loaded.ok ? loaded.value.config.timeout : 'a problem';
  };

  it('leaves accounts what accounts sync wrote for them, and is a problem to root', () => {
    writeFileSync(join(folder, 'client', 'master'), 'timeout: 9\n');
    expect([timeoutFor(1000), timeoutFor(0)]).toEqual([9, 'a problem']);
  });

  it('is a problem to everybody where nothing was written for them', () => {
    expect(timeoutFor(1000)).toBe('a problem');
  });
});
