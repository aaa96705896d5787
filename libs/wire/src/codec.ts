/**
 * `fields({a, b})` reads `[a, b]` into `{a, b}` and writes it back; `listOf` is a bounded list. Both are zod schemas like any other.
 *
 * Each schema has a `Turn` beside it, which does the same in one pass but cannot say what does not fit. zod's own codec makes each object
 * twice, and for each part a payload, a list of issues and a context as well. So zod itself runs only to say why something does not fit,
 * and for schemas that are not known here.
 *
 * Spec: spec/wire.md#encoding.
 */
import * as z from 'zod/mini';
import { quickLook } from './quick-look.js';

type Schema<T = unknown> = z.ZodMiniType<T>;
type Shape = Readonly<Record<string, Schema>>;
type Issues = z.core.ParsePayload['issues'];
type Way = z.core.ParseContextInternal;

/** Reads from the wire and writes to it; `UNFIT` for what zod has to look at. */
interface Turn {
  readonly read: (wire: unknown) => unknown;
  readonly write: (value: unknown) => unknown;
}

const UNFIT = Symbol('unfit');
const READ: Way = { async: false };
const WRITE: Way = { async: false, direction: 'backward' };
const turns = new WeakMap<z.core.$ZodType, Turn>();

/** A fixed-length array on the wire, an object with the shape's names in the code; the order of the shape is the order of the bytes. */
export function fields<S extends Shape>(shape: S) {
  const parts = Object.entries(shape).map(([name, schema]) => ({ name, schema, turn: turnOf(schema) }));
  const names = new Set(Object.keys(shape));
  const named: Schema<z.output<z.ZodMiniObject<S, z.core.$strict>>> = z.any();
  const schema = z.codec(z.any(), named, {
    decode: (list: unknown, { issues }) => {
      if (!Array.isArray(list) || list.length !== parts.length) return refuse(issues, list, 'another number of fields');
      const read: [string, unknown][] = parts.map(({ name, schema: part }, at) => [
        name,
        run(part, list[at], READ, { key: name, issues }),
      ]);
      return Object.fromEntries(read);
    },
    encode: (value: unknown, { issues }) => {
      if (typeof value !== 'object' || value === null) return refuse(issues, value, 'not an object');
      for (const key in value) if (!names.has(key)) refuse(issues, value, 'an unknown field');
      return parts.map(({ name, schema: part }) =>
        name in value
          ? run(part, (value as Named)[name], WRITE, { key: name, issues })
          : refuse(issues, value, `no ${name}`),
      );
    },
  });
  return turning(schema, turnOfFields(parts, names));
}

type Named = Readonly<Record<string, unknown>>;
type Parts = readonly { readonly name: string; readonly turn: Turn }[];

function turnOfFields(parts: Parts, names: ReadonlySet<string>): Turn {
  // A copy of it has all names from the start. Added one by one, each name would give the object another shape for V8.
  const blank: Named = Object.fromEntries(parts.map(({ name }) => [name, undefined]));
  const read = (list: unknown) => {
    if (!Array.isArray(list) || list.length !== parts.length) return UNFIT;
    const made: Record<string, unknown> = { ...blank };
    let at = 0;
    for (const { name, turn } of parts) {
      const value = turn.read(list[at]);
      if (value === UNFIT) return UNFIT;
      made[name] = value;
      at += 1;
    }
    return made;
  };
  const write = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return UNFIT;
    for (const key in value) if (!names.has(key)) return UNFIT;
    // Made in its final length: a list that grows would have room for sixteen.
    const list = new Array<unknown>(parts.length);
    let at = 0;
    for (const { name, turn } of parts) {
      if (!(name in value)) return UNFIT;
      const item = turn.write((value as Named)[name]);
      if (item === UNFIT) return UNFIT;
      list[at] = item;
      at += 1;
    }
    return list;
  };
  return { read, write };
}

export function listOf<T>(item: Schema<T>, max: number) {
  const items: Schema<T[]> = z.any();
  const each =
    (way: Way) =>
    (list: unknown, { issues }: { readonly issues: Issues }) =>
      Array.isArray(list) && list.length <= max
        ? list.map((value: unknown, index) => run(item, value, way, { key: index, issues }))
        : refuse(issues, list, `not a list of at most ${max}`);
  const turn = turnOf(item);
  const schema = z.codec(z.any(), items, { decode: each(READ), encode: each(WRITE) });
  return turning(schema, { read: eachBy(turn.read, max), write: eachBy(turn.write, max) });
}

function eachBy(turn: (item: unknown) => unknown, max: number): (list: unknown) => unknown {
  return (list) => {
    if (!Array.isArray(list) || list.length > max) return UNFIT;
    const turned: unknown[] = [];
    for (const item of list) {
      const value = turn(item);
      if (value === UNFIT) return UNFIT;
      turned.push(value);
    }
    return turned;
  };
}

/** Gives a codec its `Turn`; when `read` or `write` throws, zod has to say why. */
export function turned<S extends Schema>(
  schema: S,
  read: (wire: unknown) => unknown,
  write: (value: unknown) => unknown,
): S {
  const orUnfit = (turn: (value: unknown) => unknown) => (value: unknown) => {
    try {
      return turn(value);
    } catch {
      return UNFIT;
    }
  };
  return turning(schema, { read: orUnfit(read), write: orUnfit(write) });
}

/** @throws {z.core.$ZodError} When what came does not fit the schema. */
export function readAs<S extends Schema>(schema: S, wire: unknown): z.output<S> {
  const value = turnOf(schema).read(wire);
  return value === UNFIT ? z.decode(schema, wire as z.input<S>) : (value as z.output<S>);
}

/** @throws {z.core.$ZodError} When `value` does not fit: a defect of the sender, never of the network. */
export function writeAs<S extends Schema>(schema: S, value: z.output<S>): unknown {
  const wire = turnOf(schema).write(value);
  return wire === UNFIT ? z.encode(schema, value) : wire;
}

function turning<S extends Schema>(schema: S, turn: Turn): S {
  turns.set(schema, turn);
  return schema;
}

function turnOf(schema: z.core.$ZodType): Turn {
  const known = turns.get(schema);
  if (known !== undefined) return known;
  const made = turnOfLeaf(schema) ??
    turnOfNullable(schema) ?? { read: byZod(schema, READ), write: byZod(schema, WRITE) };
  turns.set(schema, made);
  return made;
}

/** What fits is the same on the wire as in the code. */
function turnOfLeaf(schema: z.core.$ZodType): Turn | undefined {
  const fits = quickLook(schema);
  if (fits === undefined) return undefined;
  const asItIs = (value: unknown) => (fits(value) ? value : UNFIT);
  return { read: asItIs, write: asItIs };
}

function turnOfNullable(schema: z.core.$ZodType): Turn | undefined {
  if (!(schema instanceof z.ZodMiniNullable) || (schema.def.checks ?? []).length > 0) return undefined;
  const inner = turnOf(schema.def.innerType);
  return {
    read: (value) => (value === null ? null : inner.read(value)),
    write: (value) => (value === null ? null : inner.write(value)),
  };
}

function byZod(schema: z.core.$ZodType, way: Way): (value: unknown) => unknown {
  return (value) => {
    const ran = schema._zod.run({ value, issues: [] }, way);
    return ran instanceof Promise || ran.issues.length > 0 ? UNFIT : ran.value;
  };
}

function run(
  schema: Schema,
  value: unknown,
  way: Way,
  { key, issues }: { readonly key: PropertyKey; readonly issues: Issues },
): unknown {
  const ran = schema._zod.run({ value, issues: [] }, way);
  if (ran instanceof Promise) throw new TypeError('a message is checked at once');
  for (const issue of ran.issues) issues.push({ ...issue, path: [key, ...(issue.path ?? [])] });
  return ran.value;
}

/** @returns what stands in the place of what is refused; nobody sees it. */
function refuse(issues: Issues, input: unknown, message: string): unknown {
  issues.push({ code: 'custom', input, message });
  return null;
}
