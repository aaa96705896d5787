/** A folder with the files of a master, which is read as the services read it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadMasterConfig } from './load-master.js';
import { problemSentence } from './problem.js';

/** By name below the folder. */
export type Files = Readonly<Record<string, string>>;

export class MasterFolder {
  readonly dir = mkdtempSync(join(tmpdir(), 'natrium-config-'));

  write(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.dir, name)), { recursive: true });
      writeFileSync(join(this.dir, name), text);
    }
  }

  load(files: Files) {
    this.write(files);
    const loaded = loadMasterConfig(this.dir);
    if (!loaded.ok) throw new Error(loaded.error.map(problemSentence).join('\n'));
    return loaded.value;
  }

  /** None when it can be loaded. In each sentence the folder is `DIR`. */
  problems(files: Files): readonly string[] {
    this.write(files);
    const loaded = loadMasterConfig(this.dir);
    return loaded.ok ? [] : loaded.error.map((problem) => problemSentence(problem).replaceAll(this.dir, 'DIR'));
  }

  remove(): void {
    rmSync(this.dir, { recursive: true });
  }
}
