/**
 * The pieces that the configuration's keys are made of, and the line of documentation that each key carries.
 *
 * `docs/configuration.md` and the mend of every error come from the same line, so neither can go stale.
 */
import { Float, type Value } from '@natrium/model';
import * as z from 'zod/mini';

export interface KeyDoc {
  /** The group's heading in the documentation. */
  readonly group: string;
  /** What it does, in one sentence without its final dot. */
  readonly doc: string;
  /** What it takes, as it follows "takes". */
  readonly takes: string;
  /** The default as the documentation shows it, where the schema's own is computed. */
  readonly shown?: string;
  /** A path, or lists of paths: relative ones start at `root_dir`. The value is the default; undefined is none. */
  readonly path?: string | readonly string[] | Readonly<Record<string, readonly string[]>>;
}

export const keyDocs = z.registry<KeyDoc>();

/** Salt's files may say `5.0` where a whole number is meant. */
function plainNumber(value: unknown): unknown {
  return value instanceof Float ? value.value : value;
}

export const whole = (min: number, max: number) =>
  z.pipe(z.transform(plainNumber), z.int().check(z.minimum(min), z.maximum(max)));
export const seconds = (min: number, max: number) =>
  z.pipe(z.transform(plainNumber), z.number().check(z.minimum(min), z.maximum(max)));
export const text = (max = 4096) => z.string().check(z.maxLength(max));

/** One text or a list of them. */
export const textList = () => z.pipe(z.union([text(), z.array(text()).check(z.maxLength(1000))]), z.transform(asList));

function asList(value: string | string[]): readonly string[] {
  if (typeof value !== 'string') return value;
  return value === '' ? [] : [value];
}

/** Kept as it was read; whoever uses it checks its shape and reports problems by path. */
export const raw = () => z.custom<Value>((value: unknown) => value !== undefined);

export const pathMap = () => z.record(z.string(), textList());

/** A path that may be left out. */
export const optionalPath = (group: string, doc: string) =>
  text().register(keyDocs, { group, doc, takes: 'a path or ""', shown: 'none', path: '' });

export const folders = (group: string, doc: string) =>
  textList().register(keyDocs, { group, doc, takes: 'a folder or a list of folders', path: [] });
