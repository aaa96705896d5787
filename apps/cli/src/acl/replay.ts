/** `natriumctl acl replay [PATH…]`: `npm run conformance`, where the program was built. */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../common/exit-codes.js';
import { say } from '../common/refused.js';
import type { AclCommand } from './acl-command.js';

export async function runReplay({ words, io }: AclCommand): Promise<number> {
  const found = programs().find(({ file }) => existsSync(file));
  if (found === undefined) {
    say('the replay is not built: npm run build', io);
    return EXIT.unavailable;
  }
  const paths = words.length > 0 ? words : [join(found.root, 'compat/cases')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [realpathSync(found.file), ...paths], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  io.out(stdout);
  io.err(stderr);
  return status ?? EXIT.internal;
}

/** Bundled, this file is in `dist/cli`; from source it is four folders deep. */
function programs(): readonly { readonly root: string; readonly file: string }[] {
  const here = dirname(fileURLToPath(import.meta.url));
  return [join(here, '../..'), join(here, '../../../..')].map((root) => ({
    root,
    file: join(root, 'dist/compat/replay.mjs'),
  }));
}
