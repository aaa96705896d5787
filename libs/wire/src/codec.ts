/**
 * `fields({a, b})` reads `[a, b]` into `{a, b}` and writes it back; `listOf` is a bounded list. Both are zod schemas like any
 * other, in one pass: zod's own codec over an object makes each object twice, and with a check on a list walks the list
 * twice when it writes. So they run zod's parts themselves (`_zod.run`, zod's interface for libraries), and only those at which a quick
 * look does not tell that they fit.
 *
 * Spec: spec/wire.md#encoding.
 */
import * as z from 'zod/mini';
import { quickLook, type QuickLook } from './quick-look.js';

type Schema<T = unknown> = z.ZodMiniType<T>;
type Shape = Readonly<Record<string, Schema>>;
type Issues = z.core.ParsePayload['issues'];
type Way = z.core.ParseContextInternal;

const READ: Way = { async: false };
const WRITE: Way = { async: false, direction: 'backward' };
const UNFIT = Symbol('unfit');
/** What is the same on the wire as in the code; running it backward would only take longer. */
const UNTURNED: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'enum', 'literal', 'custom']);

/** A fixed-length array on the wire, an object with the shape's names in the code; the order of the shape is the order of the bytes. */
export function fields<S extends Shape>(shape: S) {
  const parts = Object.entries(shape).map(([name, schema]) => ({ name, ...partOf(schema) }));
  const names = new Set(Object.keys(shape));
  const named: Schema<z.output<z.ZodMiniObject<S, z.core.$strict>>> = z.any();
  return z.codec(z.any(), named, {
    decode: (list: unknown, { issues }) => {
      if (!Array.isArray(list) || list.length !== parts.length) return refuse(issues, list, 'another number of fields');
      const read: Record<string, unknown> = {};
      parts.forEach((part, index) => {
        const value: unknown = list[index];
        read[part.name] = isFit(part, value) ? value : run(part.schema, value, READ, { key: part.name, issues });
      });
      return read;
    },
    encode: (value: unknown, { issues }) => {
      if (typeof value !== 'object' || value === null) return refuse(issues, value, 'not an object');
      for (const key in value) if (!names.has(key)) refuse(issues, value, 'an unknown field');
      return parts.map((part) => {
        const { name, schema, write } = part;
        if (!(name in value)) return refuse(issues, value, `no ${name}`);
        const item = (value as Readonly<Record<string, unknown>>)[name];
        return isFit(part, item) ? item : run(schema, item, write, { key: name, issues });
      });
    },
  });
}

/** A list of at most `max` items. */
export function listOf<T>(item: Schema<T>, max: number) {
  const items: Schema<T[]> = z.any();
  const part = partOf(item);
  const each =
    (way: Way) =>
    (list: unknown, { issues }: { readonly issues: Issues }) =>
      Array.isArray(list) && list.length <= max
        ? list.map((value: unknown, index) =>
            isFit(part, value) ? value : run(item, value, way, { key: index, issues }),
          )
        : refuse(issues, list, `not a list of at most ${max}`);
  return z.codec(z.any(), items, { decode: each(READ), encode: each(part.write) });
}

/** @throws {z.core.$ZodError} When what came does not fit the schema. */
export function readAs<S extends Schema>(schema: S, wire: unknown): z.output<S> {
  const value = unlessUnfit(schema, wire, READ);
  return value === UNFIT ? z.decode(schema, wire as z.input<S>) : (value as z.output<S>);
}

/** @throws {z.core.$ZodError} When `value` does not fit: a defect of the sender, never of the network. */
export function writeAs<S extends Schema>(schema: S, value: z.output<S>): unknown {
  const wire = unlessUnfit(schema, value, WRITE);
  return wire === UNFIT ? z.encode(schema, value) : wire;
}

/** What the schema makes of it; `UNFIT` leaves it to zod to say why. Most fit, and zod's own entry costs as much as a small message. */
function unlessUnfit(schema: Schema, value: unknown, way: Way): unknown {
  const ran = schema._zod.run({ value, issues: [] }, way);
  return ran instanceof Promise || ran.issues.length > 0 ? UNFIT : ran.value;
}

function wayToWrite(schema: Schema): Way {
  const inner = schema instanceof z.ZodMiniNullable ? schema.def.innerType : schema;
  return UNTURNED.has(inner._zod.def.type) ? READ : WRITE;
}

interface Part {
  readonly schema: Schema;
  readonly fits: QuickLook | undefined;
  /** How it is written. */
  readonly write: Way;
}

function partOf(schema: Schema): Part {
  return { schema, fits: quickLook(schema), write: wayToWrite(schema) };
}

function isFit({ fits }: Part, value: unknown): boolean {
  return fits?.(value) === true;
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
