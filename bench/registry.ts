/** Every bench, in the order in which they run. Those that come later are added here. */
import type { Bench } from './bench.js';
import { cli } from './benches/cli.js';
import { events } from './benches/events.js';
import { fanOut } from './benches/fan-out.js';
import { http } from './benches/http.js';
import { peerInFlight } from './benches/in-flight.js';
import { jobsMemory } from './benches/jobs-memory.js';
import { peerPublish } from './benches/peer-publish.js';
import { peerRunner } from './benches/peer-runner.js';
import { raw } from './benches/raw.js';
import { ready } from './benches/ready.js';
import { replicas } from './benches/replicas.js';
import { soak } from './benches/soak.js';
import { work } from './benches/work.js';
import { decision } from './benches/decision.js';

export const registry: readonly Bench[] = [
  raw,
  peerPublish,
  peerInFlight,
  replicas,
  peerRunner,
  work,
  cli,
  ready,
  decision,
  jobsMemory,
  events,
  http,
  fanOut,
  soak,
];
