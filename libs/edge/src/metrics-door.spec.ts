import { VERSION } from '@natrium/model';
import { MetricsDoor, metricsAddress } from './metrics-door.js';
import { ServiceMetrics } from './service-metrics.js';

/** A broker that is well. */
const ASKED = { brokerAnswers: () => Promise.resolve(), storeTrouble: () => undefined };

let door: MetricsDoor;
beforeEach(async () => {
  door = await MetricsDoor.open({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  door.close();
});

async function ask(path: string, method = 'GET'): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${String(door.port)}${path}`, { method });
  return { status: answer.status, text: await answer.text() };
}

it('a port that is taken is told with what to do', async () => {
  await expect(MetricsDoor.open({ host: '127.0.0.1', port: door.port })).rejects.toThrow(
    `the door of the figures cannot listen on 127.0.0.1:${String(door.port)} (EADDRINUSE): another program listens there`,
  );
});

describe('a service that has not begun', () => {
  it('is alive and not ready', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect((await ask('/readyz')).status).toBe(503);
    expect((await ask('/metrics')).status).toBe(503);
  });
});

describe('a service that listens', () => {
  it('is ready while the broker answers, and not when it fails', async () => {
    const metrics = new ServiceMetrics('acl');
    door.serve({ ...ASKED, metrics });
    expect(await ask('/readyz')).toEqual({ status: 200, text: 'ready\n' });
    door.serve({ ...ASKED, metrics, brokerAnswers: () => Promise.reject(new Error('closed')) });
    expect(await ask('/readyz')).toEqual({ status: 503, text: 'the broker does not answer\n' });
  });

  it('is not ready when the broker is silent', async () => {
    door.serve({ ...ASKED, metrics: new ServiceMetrics('acl'), brokerAnswers: () => new Promise(() => undefined) });
    expect((await ask('/readyz')).status).toBe(503);
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('is not ready while the broker takes no writes, and says which', async () => {
    const trouble = 'the broker takes no writes to NT_main_jobs: JetStream: maximum bytes exceeded';
    door.serve({ ...ASKED, metrics: new ServiceMetrics('gateway'), storeTrouble: () => trouble });
    expect(await ask('/readyz')).toEqual({ status: 503, text: `${trouble}\n` });
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('says in its figures what /readyz says, each time that it is asked', async () => {
    const metrics = new ServiceMetrics('acl');
    let trouble: string | undefined;
    door.serve({ ...ASKED, metrics, storeTrouble: () => trouble });
    const ready = async () => /^natrium_ready\S* (.*)$/m.exec((await ask('/metrics')).text)?.[1];
    expect(await ready()).toBe('1');
    trouble = 'the broker takes no writes to NT_main_jobs';
    expect(await ready()).toBe('0');
    trouble = undefined;
    expect(await ready()).toBe('1');
    door.serve({ ...ASKED, metrics, brokerAnswers: () => Promise.reject(new Error('closed')) });
    expect(await ready()).toBe('0');
  });

  it('has each counter that it can know at 0 before anything is counted, and says what it is', async () => {
    const metrics = new ServiceMetrics('acl');
    door.serve({ ...ASKED, metrics });
    metrics.serves('svc.acl.grant');
    const counts = new Map<string, number>();
    metrics.totals('natrium_logins_total', 'Logins', 'verdict', ['allow', 'refuse'], () => counts);
    const first = (await ask('/metrics')).text;
    for (const line of [
      'natrium_unopened_messages_total{reason="shape",service="acl"} 0',
      'natrium_unopened_messages_total{reason="receipt",service="acl"} 0',
      'natrium_unopened_messages_total{reason="asked_again",service="acl"} 0',
      'natrium_handler_failures_total{route="svc.acl.grant",why="fault",service="acl"} 0',
      'natrium_handler_failures_total{route="svc.acl.grant",why="outage",service="acl"} 0',
      'natrium_logins_total{verdict="refuse",service="acl"} 0',
      `natrium_build_info{version="${VERSION}",node="${process.version}",service="acl"} 1`,
    ])
      expect(first).toContain(`${line}\n`);
    counts.set('refuse', 3);
    expect((await ask('/metrics')).text).toContain('natrium_logins_total{verdict="refuse",service="acl"} 3\n');
  });

  it('counts what it did not open, by reason', async () => {
    const metrics = new ServiceMetrics('acl');
    door.serve({ ...ASKED, metrics });
    metrics.unopened('replayed');
    metrics.unopened('replayed');
    metrics.gauge('natrium_queue_depth', 'What waits', 'queue', () => [['audit', 7]]);
    const { status, text } = await ask('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('natrium_unopened_messages_total{reason="replayed",service="acl"} 2');
    expect(text).toContain('natrium_queue_depth{queue="audit",service="acl"} 7');
    expect(text).toContain('process_resident_memory_bytes');
  });

  it('tells what it did since, each time that it is asked', async () => {
    const metrics = new ServiceMetrics('gateway');
    door.serve({ ...ASKED, metrics });
    let jobs = 3;
    metrics.total('natrium_jobs_total', 'Jobs', () => jobs);
    metrics.figure('natrium_policy_refused', 'Refused', () => 60);
    expect((await ask('/metrics')).text).toContain('natrium_jobs_total{service="gateway"} 3');
    jobs = 4;
    const { text } = await ask('/metrics');
    expect(text).toContain('natrium_jobs_total{service="gateway"} 4');
    expect(text).toContain('natrium_policy_refused{service="gateway"} 60');
  });

  it('tells how long its answers took, by route', async () => {
    const metrics = new ServiceMetrics('acl');
    door.serve({ ...ASKED, metrics });
    metrics.handled('svc.acl.grant', 0.002);
    metrics.handled('svc.acl.grant', 7);
    const { text } = await ask('/metrics');
    const bucket = (le: string) => `natrium_request_seconds_bucket{le="${le}",service="acl",route="svc.acl.grant"}`;
    expect(text).toContain(`${bucket('0.001')} 0`);
    expect(text).toContain(`${bucket('0.0025')} 1`);
    expect(text).toContain(`${bucket('+Inf')} 2`);
    expect(text).toContain('natrium_request_seconds_sum{service="acl",route="svc.acl.grant"} 7.002');
  });

  it('says that a figure cannot be told, and lives on', async () => {
    const metrics = new ServiceMetrics('acl');
    door.serve({ ...ASKED, metrics });
    metrics.figure('natrium_policy_refused', 'Refused', () => {
      throw new Error('no such folder');
    });
    expect(await ask('/metrics')).toEqual({ status: 500, text: 'a figure cannot be told: no such folder\n' });
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('takes nothing but questions', async () => {
    expect((await ask('/metrics', 'POST')).status).toBe(405);
    expect((await ask('/other')).status).toBe(404);
  });
});

describe('--metrics', () => {
  it.each([
    ['9100', { host: '127.0.0.1', port: 9100 }],
    ['0.0.0.0:9100', { host: '0.0.0.0', port: 9100 }],
    ['[::1]:0', { host: '::1', port: 0 }],
  ])('reads %s', (text, address) => {
    expect(metricsAddress(text)).toEqual(address);
  });

  it.each(['', 'x', ':9100', '70000', 'host:'])('refuses %j', (text) => {
    expect(() => metricsAddress(text)).toThrow(RangeError);
  });
});
