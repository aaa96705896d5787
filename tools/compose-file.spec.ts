import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterConfig } from '@natrium/config';
import { load } from 'js-yaml';
import { inRoot } from '../tests/support/places.js';

interface Service {
  readonly volumes?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly stop_signal?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly build?: { readonly target?: string; readonly args?: Readonly<Record<string, string>> };
  /** What it takes from above. */
  readonly '<<'?: Service;
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
}

const { services } = load(readFileSync(inRoot('docker-compose.yml'), 'utf8')) as ComposeFile;
const whole = (service: Service): Service => ({ ...(service['<<'] && whole(service['<<'])), ...service });
const mounts = Object.entries(services).flatMap(([service, { volumes = [] }]) =>
  volumes
    .map((text) => text.split(':'))
    .map(([volume = '', , mode = '']) => ({ service, volume, options: mode.split(',').filter((word) => word !== '') })),
);
const ofKeys = mounts.filter(({ volume }) => volume.startsWith('keys-'));

it('both variants have the same settings but for the broker', () => {
  const [three, one] = ['cluster.conf', 'one.conf'].map(
    (name) => load(readFileSync(inRoot('containers', name), 'utf8')) as Readonly<Record<string, unknown>>,
  );
  expect({ ...one, nats: [one?.['nats'], 'nats://nats-2:4222', 'nats://nats-3:4222'] }).toEqual(three);
});

it('no container takes all memory or all processes of the host', () => {
  for (const [name, service] of Object.entries(services))
    expect([name, whole(service)]).toEqual([
      name,
      expect.objectContaining({ mem_limit: '${NATRIUM_MEMORY:-4g}', pids_limit: 4096 }),
    ]);
});

it('each node of the broker takes a bounded part of the disk, and events a part of that', () => {
  const nodes = Object.entries(services).filter(([name]) => name.startsWith('nats-'));
  const bounds = nodes.map(([, { environment }]) => environment?.['NATRIUM_BROKER_MAX_FILE']);
  expect(bounds).toEqual(Array.from({ length: 3 }, () => '${NATRIUM_BROKER_MAX_FILE:-10GB}'));
  const broker = readFileSync(inRoot('containers/nats/common.conf'), 'utf8');
  expect(broker).toContain('\n  max_file: $NATRIUM_BROKER_MAX_FILE\n');
  const { keep_events_bytes: events } = load(readFileSync(inRoot('containers/cluster.conf'), 'utf8')) as {
    readonly keep_events_bytes: number;
  };
  expect(events).toBeLessThan(5 * 2 ** 30);
});

it('each node of the broker is made from the image that the operator names, else from that of the Dockerfile', () => {
  const nodes = Object.values(services)
    .map(whole)
    .filter(({ build }) => build?.target === 'broker');
  const [, usual = ''] = /^ARG NATS_IMAGE=(.+)$/m.exec(readFileSync(inRoot('Dockerfile'), 'utf8')) ?? [];
  expect(usual).toBe('nats:2.10-alpine');
  expect(nodes.map(({ build }) => build?.args)).toEqual(
    Array.from({ length: 3 }, () => ({ NATS_IMAGE: `\${NATRIUM_NATS_IMAGE:-${usual}}` })),
  );
});

describe('the volumes of keys in docker-compose.yml', () => {
  // The engine fills an empty volume from the image for each container that it creates, and two at a time fail with
  // "failed to mkdir …: file exists": replicas are created at the same time, before `init` has put anything there.
  it('are filled from an image for `init` alone', () => {
    const filling = ofKeys.filter(({ options }) => !options.includes('nocopy'));
    expect(new Set(filling.map(({ service }) => service))).toEqual(new Set(['init']));
  });

  it('are written by `init` alone, but for the one of the person at the command line', () => {
    const writing = ofKeys.filter(({ options }) => !options.includes('ro'));
    expect(new Set(writing.map(({ service }) => service))).toEqual(new Set(['init', 'cli']));
  });

  it('with the root key is seen by `init` alone', () => {
    const seeing = ofKeys.filter(({ volume }) => volume === 'keys-offline').map(({ service }) => service);
    expect(seeing).toEqual(['init']);
  });
});

describe('the policy in docker-compose.yml', () => {
  const POLICY = '${NATRIUM_POLICY:-./containers/policy}:/etc/natrium/policy:ro';
  const MASTER = '${NATRIUM_MASTER:-./containers/master}:/etc/natrium/master:ro';
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'nt-policy-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  /** The configuration of a container, with its folders in `dir`. */
  function loadIn(conf: string) {
    mkdirSync(join(dir, 'master.d'));
    cpSync(inRoot('containers/master'), join(dir, 'master'));
    cpSync(inRoot('containers/policy'), join(dir, 'policy'), { recursive: true });
    const text = readFileSync(inRoot('containers', conf), 'utf8').replaceAll('/etc/natrium', dir);
    writeFileSync(join(dir, 'master.d', 'container.conf'), text);
    return () => {
      const loaded = loadMasterConfig(dir);
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
      return loaded.value;
    };
  }

  // A file that is mounted by itself stays the one that it was when an editor replaces it, and no folder tells of its change.
  it('has a folder beside its file, for each container that reads it', () => {
    const reading = Object.entries(services).filter(([, { volumes }]) => volumes?.includes(MASTER));
    expect(reading.map(([name]) => name)).toEqual(['acl-service', 'master-gateway', 'runner-service', 'event-sink', 'cli']);
    for (const [, { volumes }] of reading) expect(volumes).toContain(POLICY);
  }); // prettier-ignore

  it.each(['cluster.conf', 'one.conf'])('is what the folder says where it says something, and is watched there: %s', (conf) => {
    const loaded = loadIn(conf);
    const { config, folders, reports } = loaded();
    expect(Object.keys(config.peer_run)).toEqual(['.*']);
    expect(folders.map(({ path }) => path)).toContain(join(dir, 'policy'));
    expect(reports.filter((report) => /policy|no file/.test(report))).toEqual([]);
    writeFileSync(join(dir, 'policy', 'own.conf'), 'peer_run: {}\n');
    expect([loaded().config.peer_run, loaded().config.peer]).toEqual([{}, config.peer]);
  }); // prettier-ignore
});

describe('the proxy', () => {
  // At the image's own signal, SIGUSR1, HAProxy closes its port and waits for all connections; a stream of events never ends.
  it('ends at once, so that the next one has the port', () => {
    expect(services['proxy']?.stop_signal).toBe('SIGTERM');
  });

  it('has what an operator wants of its port beside its number, which is never nothing, and tells of TLS', () => {
    const config = readFileSync(inRoot('containers/proxy/haproxy.cfg'), 'utf8');
    expect(services['proxy']?.environment).toEqual({ NATRIUM_PROXY_BIND: '${NATRIUM_PROXY_BIND:-name http}' });
    expect(config).toContain('\n  bind :8000 "${NATRIUM_PROXY_BIND[*]}"\n');
    expect(config).toContain('\n  http-request set-header X-Forwarded-Proto https if { ssl_fc }\n');
  });

  it('asks each gateway whether it is ready, at the port of its figures; where none is, they answer themselves', () => {
    const config = readFileSync(inRoot('containers/proxy/haproxy.cfg'), 'utf8');
    const [, gateways = '', unready = ''] = config.split(/^backend .*$/m);
    const port = /check port (\d+) /.exec(gateways)?.[1];
    expect(gateways).toContain('\n  option httpchk GET /readyz\n');
    expect(services['master-gateway']?.command?.join(' ')).toContain(`--metrics 0.0.0.0:${port ?? ''}`);
    expect(config).toContain('\n  use_backend unready if { nbsrv(gateways) eq 0 }\n');
    expect(unready).not.toContain('httpchk');
  });

  it('is asked how it is at a port of its own: the published one may speak TLS or the PROXY protocol', () => {
    const config = readFileSync(inRoot('containers/proxy/haproxy.cfg'), 'utf8');
    const [, own = ''] = /^frontend health\n {2}bind (127\.0\.0\.1:\d+)$/m.exec(config) ?? [];
    expect(services['proxy']?.healthcheck?.test[1]).toContain(` http://${own}/;`);
    expect(services['proxy']?.healthcheck?.test[1]).toContain(`/dev/tcp/${own.replace(':', '/')} `);
  });

  it('takes an answer of DNS with as many gateways as it has places for', () => {
    const config = readFileSync(inRoot('containers/proxy/haproxy.cfg'), 'utf8');
    const places = Number(/server-template \S+ 1-(\d+)/.exec(config)?.[1]);
    const [header, question, record] = [12, 100, 16];
    expect(places).toBe(32);
    expect(Number(/accepted_payload_size (\d+)/.exec(config)?.[1])).toBeGreaterThan(header + question + places * record);
  }); // prettier-ignore
});

describe('the Dockerfile', () => {
  const lines = readFileSync(inRoot('Dockerfile'), 'utf8').split('\n');

  // A clone under umask 077 has files that nobody but their owner reads, and COPY keeps modes.
  it('copies into an image only what every user may read', () => {
    const [first, ...others] = lines.filter((line) => line.startsWith('COPY'));
    expect(first).toBe('COPY . /opt/natrium/');
    expect(lines[lines.indexOf(first ?? '') + 1]).toBe('RUN chmod -R go+rX /opt/natrium');
    expect(others.filter((line) => !/^COPY --from=(files|nats) /.test(line))).toEqual([]);
  });
});
