/** Follows a key path into grains or pillar: mappings by key, lists by number, or by a key of the first mapping inside that has it. */
import { yamlify } from '@natrium/args';
import { isList, isMap, type Value } from '@natrium/model';
import type { Room } from './room.js';

/** A part of a key path, and the other key that it may stand for. */
export interface KeyPart {
  readonly text: string;
  /** What it is as YAML, where that is another text: ` os`, `'os'`. A number is no key of ours: all keys are text. */
  readonly asYaml?: string;
}

/** What YAML reads as itself, so that nobody has to ask it. */
const PLAIN = /^[A-Za-z][\w./-]*$/;

export function keyPart(text: string): KeyPart {
  const value = PLAIN.test(text) ? text : yamlify(text);
  return typeof value === 'string' && value !== text ? { text, asYaml: value } : { text };
}

/** @returns undefined when the path leads nowhere. */
export function follow(data: Value, path: readonly KeyPart[], room: Room): Value | undefined {
  let here: Value | undefined = data;
  for (const part of path) {
    here = isMap(here) ? own(here, part) : isList(here) ? inList(here, part.text, room) : undefined;
    if (here === undefined) return undefined;
  }
  return here;
}

function own(map: { readonly [key: string]: Value }, { text, asYaml }: KeyPart): Value | undefined {
  if (Object.hasOwn(map, text)) return map[text];
  return asYaml !== undefined && Object.hasOwn(map, asYaml) ? map[asYaml] : undefined;
}

function inList(list: readonly Value[], part: string, room: Room): Value | undefined {
  if (/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(part)) return list.at(Number(part.replaceAll('_', '')));
  if (!room.take(list.length)) return undefined;
  for (const item of list) {
    if (isMap(item) && Object.hasOwn(item, part)) return item[part];
  }
  return undefined;
}
