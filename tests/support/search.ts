/** Looks for words in bytes as they are, in hexadecimal and in base64. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tells whether `word` is anywhere in `bytes`, plainly or in one of the usual disguises. */
export function holds(bytes: Uint8Array, word: string): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return disguises(word).some((disguise) => buffer.includes(disguise));
}

/** In base64 a word looks different at each of three places; its ends depend on its neighbours. */
function disguises(word: string): readonly string[] {
  const plain = Buffer.from(word);
  const hex = plain.toString('hex');
  const inner = (text: string) => text.slice(4, -4);
  const base64 = [0, 1, 2].map((shift) => inner(Buffer.concat([Buffer.alloc(shift), plain]).toString('base64')));
  return [word, hex, hex.toUpperCase(), ...base64];
}

/** Every file below a folder with its bytes, by its path there. */
export function filesBelow(folder: string): ReadonlyMap<string, Uint8Array> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(files.map((path) => [path.slice(folder.length + 1), readFileSync(path)]));
}
