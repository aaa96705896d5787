/**
 * Values as Salt's users write them: what YAML arguments, grains and returns may hold.
 *
 * JavaScript has one kind of number, Python two; `1.0` and `1` differ in access conditions and in output. An integral,
 * infinite or NaN float is therefore a `Float`; every other number is itself. Integers beyond 2^53 are `bigint`.
 *
 * Spec: spec/wire.md#values.
 */
export type Value = null | boolean | number | bigint | string | Float | readonly Value[] | ValueMap;
export interface ValueMap {
  readonly [key: string]: Value;
}

/** A float that a JavaScript number cannot tell from an integer or that JSON cannot carry (`1.0`, `inf`, `nan`). */
export class Float {
  constructor(readonly value: number) {}
}

/** The float `n` as a value: wrapped only where a plain number would read as an integer or not at all. */
export function float(n: number): Value {
  return Number.isInteger(n) || !Number.isFinite(n) ? new Float(n) : n;
}

export function isMap(value: Value | undefined): value is ValueMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** As Python tests it: nothing, zero and what is empty are false. */
export function isTrue(value: Value): boolean {
  if (isMap(value) || isList(value)) return Object.keys(value).length > 0;
  return value instanceof Float ? value.value !== 0 : Boolean(value);
}
