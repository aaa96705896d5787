/** Programs in containers start with what V8 compiled of them when their image was made. */
import { LEAN_AGENT, ROOMY_GATEWAY, SMALL_SERVICE } from '../../apps/cli/src/up/process-flags.js';
import { askCompiled, isRefused } from '../support/compiled-program.js';
import type { Engine } from './engine.js';

const DIST = '/opt/natrium/dist';

/** By service: its program, and how that is started. */
const PROGRAMS: Readonly<Record<string, readonly [folder: string, name: string, flags: readonly string[]]>> = {
  'acl-service': ['acl-service', 'main', SMALL_SERVICE.flags],
  'master-gateway': ['master-gateway', 'main', ROOMY_GATEWAY.flags],
  'runner-service': ['runner-service', 'main', SMALL_SERVICE.flags],
  'event-sink': ['event-sink', 'main', []],
  'minion-agent': ['minion-agent', 'main', LEAN_AGENT.flags],
  cli: ['cli', 'natrium', []],
};

/** @returns How many programs. @throws {Error} When V8 compiles one anew at each start. */
export async function checkCompiled(engine: Engine): Promise<number> {
  for (const [service, [folder, name, flags]] of Object.entries(PROGRAMS)) {
    const container = await engine.container(service);
    const said = await engine.docker('exec', container, 'node', ...flags, '-e', askCompiled(`${DIST}/${folder}`, name));
    if (isRefused(said) !== false)
      throw new Error(`${service}: V8 does not take what was kept of its program: ${said}`);
  }
  return Object.keys(PROGRAMS).length;
}
