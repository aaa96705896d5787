/** What the units of systemd say of how their processes end; what systemd makes of them: tests/system/units.spec.ts. */
import { readFileSync } from 'node:fs';
import { inRoot } from '../tests/support/places.js';

const unit = (name: string) => readFileSync(inRoot(`systemd/natrium-${name}.service`), 'utf8');

describe('natrium-broker.service', () => {
  // At SIGUSR2 nats-server takes no writes, and ends when its clients have gone, one after the other: with one node a restart
  // was 14 s without a broker with six clients, and 48 s with 61. Only where there are others does it help.
  it('ends its process at once; handing clients over is a drop-in for several nodes', () => {
    expect(unit('broker')).not.toContain('KillSignal=');
    const page = readFileSync(inRoot('docs/operations.md'), 'utf8');
    const dropIn = /^printf '(\[Service\].*)' > \/etc\/systemd\/system\/natrium-broker\.service\.d\/nodes\.conf$/m.exec(page)?.[1];
    expect(dropIn?.split('\\n')).toEqual(['[Service]', 'KillSignal=SIGUSR2', 'TimeoutStopSec=150', '']);
  }); // prettier-ignore
});

describe('the services', () => {
  it.each(['broker', 'acl', 'gateway', 'runner', 'sink'])('%s: one that runs wild does not take the host with it', (name) => {
    expect(unit(name)).toMatch(/^MemoryMax=75%$/m);
    expect(unit(name)).toMatch(/^TasksMax=\d+$/m);
  }); // prettier-ignore

  it.each(['runner', 'minion'])('%s: what it starts for others is spared by nothing, and would inherit that', (name) => {
    expect(unit(name)).not.toContain('OOMScoreAdjust');
  }); // prettier-ignore
});

describe('natrium-minion.service', () => {
  it('is started later and later where it cannot run, and bounds no job', () => {
    expect(unit('minion')).toMatch(/^RestartSec=1\n(#.*\n)*RestartSteps=8\nRestartMaxDelaySec=60$/m);
    expect(unit('minion')).not.toMatch(/^(MemoryMax|TasksMax)=/m);
  });

  // systemd ends a whole unit when the kernel kills one of its processes for want of memory, unless it is told otherwise.
  it('goes on where a process of a job was killed for want of memory', () => {
    expect(unit('minion')).toMatch(/^OOMPolicy=continue$/m);
  });

  // By systemd.special(7) a unit is ordered after this target, and only what sets the clock pulls it in.
  it('starts after the clock is set, where the host waits for that; it makes no host wait', () => {
    expect(unit('minion')).toMatch(/^After=.*\btime-sync\.target\b/m);
    expect(unit('minion')).not.toMatch(/^(Wants|Requires)=.*time-sync/m);
  });
});
