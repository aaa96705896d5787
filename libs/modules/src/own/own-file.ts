/** Which files of a folder are modules, what they are called, and how each is started. */
import { type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isModuleName } from './description.js';
import type { Program } from './guest.js';

export interface OwnFile {
  readonly name: string;
  readonly path: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  /** Why it cannot be a module. */
  readonly fault?: string;
  readonly isJavaScript: boolean;
}

export interface Host {
  /** The entry that loads a JavaScript module: run by Node, in a process of its own. */
  readonly path: string;
  readonly memoryMib: number;
}

const JAVASCRIPT = new Set(['.mjs', '.js']);
/** Files that are surely meant as programs, also when nobody may execute them. */
const SCRIPTS = new Set(['.py', '.sh', '.rb', '.pl']);
const EVERYBODY_WRITES = 0o002;
const ANYBODY_EXECUTES = 0o111;

/** For the code that it makes V8 sets so much aside from version 13 on, which is Node 24's: with the usual limit no module would start. */
const CODE_RANGE_MIB = Number(process.versions.v8.split('.')[0]) >= 13 ? 512 : 0;

/** Sorted by name. @throws {Error} When the folder cannot be read, or everybody may write there. */
export async function ownFiles(folder: string): Promise<readonly OwnFile[]> {
  if (isOpenToAll(await stat(folder))) throw new Error('everybody may write there; nothing in it is loaded');
  const names = (await readdir(folder)).filter((name) => !/^[._]|~$/.test(name)).sort();
  const files = await Promise.all(names.map((name) => ownFile(join(folder, name))));
  return files.filter((file) => file !== undefined);
}

export function programOf({ path, isJavaScript }: OwnFile, host: Host): Program {
  if (!isJavaScript) return { file: path, words: [path] };
  const words = [process.execPath, `--max-old-space-size=${host.memoryMib}`, host.path, path];
  return { file: path, words, asideMib: CODE_RANGE_MIB };
}

async function ownFile(path: string): Promise<OwnFile | undefined> {
  const about = await stat(path).catch(() => undefined);
  if (about?.isFile() !== true) return undefined;
  const extension = extname(path);
  const isJavaScript = JAVASCRIPT.has(extension);
  const mayRun = (about.mode & ANYBODY_EXECUTES) !== 0;
  if (!isJavaScript && !mayRun && !SCRIPTS.has(extension)) return undefined;
  const name = basename(path, extension);
  const fault = faultOf(name, about, isJavaScript || mayRun);
  const stamp = [about.ino, about.size, about.mtimeMs, about.ctimeMs, about.mode].join(' ');
  return { name, path, stamp, isJavaScript, ...(fault === undefined ? {} : { fault }) };
}

function faultOf(name: string, about: Stats, mayRun: boolean): string | undefined {
  if (!isModuleName(name)) return 'its name is not one of letters, digits and _';
  if (isOpenToAll(about)) return 'everybody may write it';
  return mayRun ? undefined : 'it is not executable (chmod +x)';
}

function isOpenToAll({ mode }: Stats): boolean {
  return (mode & EVERYBODY_WRITES) !== 0;
}
