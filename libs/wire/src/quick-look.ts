/**
 * Tells by a few comparisons whether a value fits a leaf of a schema. The comparisons are derived from the schema, so nothing is said twice.
 * Schemas that are not known here are left to zod, and so is saying why something does not fit.
 *
 * zod itself makes a payload, a list of issues and a context for each check of each field of each message: two thirds of what the schemas
 * cost.
 */
import type * as z from 'zod/mini';

export type QuickLook = (value: unknown) => boolean;

type AnySchema = z.core.$ZodType;
type AnyDef = z.core.$ZodTypes['_zod']['def'];
type CheckDef = z.core.$ZodChecks['_zod']['def'];

/** @returns undefined for what has parts, is turned on its way, or is checked in a way that is not known here. */
export function quickLook(schema: AnySchema): QuickLook | undefined {
  const def = schema._zod.def as AnyDef;
  const looks = [lookAt(schema, def), ...(def.checks ?? []).map((check) => lookOf(check._zod.def as CheckDef))];
  return looks.every((look) => look !== undefined) ? all(looks) : undefined;
}

function lookAt(schema: AnySchema, def: AnyDef): QuickLook | undefined {
  switch (def.type) {
    case 'string':
      return 'check' in def ? undefined : (value) => typeof value === 'string';
    case 'number':
      return 'format' in def && def.format === 'safeint' ? (value) => Number.isSafeInteger(value) : undefined;
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'enum':
    case 'literal': {
      const { values } = schema._zod;
      return values === undefined ? undefined : (value) => values.has(value as string);
    }
    case 'custom': {
      const { fn } = def;
      return (value) => fn(value) === true;
    }
    case 'nullable': {
      const look = (def.checks ?? []).length > 0 ? undefined : quickLook(def.innerType);
      return look === undefined ? undefined : (value) => value === null || look(value);
    }
    default:
      return undefined;
  }
}

function lookOf(def: CheckDef): QuickLook | undefined {
  switch (def.check) {
    case 'max_length':
      return (value) => (value as string).length <= def.maximum;
    case 'min_length':
      // zod counts characters, of which some have two units.
      return def.minimum > 1 ? undefined : (value) => (value as string).length >= def.minimum;
    case 'greater_than': {
      const { inclusive, value: least } = def;
      if (typeof least !== 'number') return undefined;
      return (value) => (inclusive ? (value as number) >= least : (value as number) > least);
    }
    case 'string_format': {
      const { pattern } = def;
      // One that remembers where it was would answer otherwise the next time.
      return pattern === undefined || pattern.global || pattern.sticky
        ? undefined
        : (value) => pattern.test(value as string);
    }
    default:
      return undefined;
  }
}

/** The kind comes first, and what is checked then may rely on it. */
function all(looks: readonly QuickLook[]): QuickLook {
  const [first, second, third] = looks;
  if (first === undefined) return () => false;
  if (second === undefined) return first;
  if (third === undefined) return (value) => first(value) && second(value);
  return (value) => looks.every((look) => look(value));
}
