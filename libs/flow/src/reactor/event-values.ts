/**
 * Values of an event in a reaction: `${data.id}` and the like, a path and nothing else. No operator, no call, no template.
 *
 * A text that is one placeholder becomes the value itself, of whatever kind; inside a longer text a value becomes text.
 * `$${` is a literal `${`. Spec: docs/reactor.md#values-of-the-event.
 */
import { err, Float, isList, isMap, ok, pyStr, type Result, type Value, type ValueMap } from '@natrium/model';

export interface ReactorEvent {
  readonly id: string;
  readonly tag: string;
  readonly data: ValueMap;
  readonly stamp: string;
  readonly origin: { readonly kind: string; readonly name: string };
}

const PLACEHOLDER = /\$\$\{|\$\{([^}]*)\}?/g;
const PATH = /^(?:tag(?:\.\d{1,3})?|id|stamp|origin\.(?:kind|name)|data(?:\.[^.\s]+)*)$/;
const MAX_DEPTH = 32;

/** Every path that a value of the configuration names, and what is wrong with one of them. */
export function placeholdersIn(value: Value, depth = 0): Result<readonly string[], string> {
  if (depth > MAX_DEPTH) return err('it is nested too deeply');
  if (typeof value === 'string') return pathsIn(value);
  const parts = isList(value) ? value : isMap(value) ? Object.values(value) : [];
  if (isMap(value) && Object.keys(value).some((key) => key.includes('${'))) {
    return err('a placeholder stands in values, not in names');
  }
  const paths: string[] = [];
  for (const part of parts) {
    const found = placeholdersIn(part, depth + 1);
    if (!found.ok) return found;
    paths.push(...found.value);
  }
  return ok(paths);
}

function pathsIn(text: string): Result<readonly string[], string> {
  if (text.includes('{{') || text.includes('{%')) {
    return err('templates are not run; name a value of the event as ${data.id}');
  }
  const paths: string[] = [];
  for (const [whole, path] of text.matchAll(PLACEHOLDER)) {
    if (path === undefined) continue;
    if (!whole.endsWith('}') || !PATH.test(path)) return err(`'${whole.slice(0, 80)}' names no value of an event`);
    paths.push(path);
  }
  return ok(paths);
}

/** The value with the event's own in its places; what the event lacks, when it lacks something. */
export function fillIn(value: Value, event: ReactorEvent): Result<Value, string> {
  if (typeof value === 'string') return fillText(value, event);
  if (isList(value)) {
    const filled: Value[] = [];
    for (const part of value) {
      const one = fillIn(part, event);
      if (!one.ok) return one;
      filled.push(one.value);
    }
    return ok(filled);
  }
  if (!isMap(value)) return ok(value);
  const entries: (readonly [string, Value])[] = [];
  for (const [key, part] of Object.entries(value)) {
    const one = fillIn(part, event);
    if (!one.ok) return one;
    entries.push([key, one.value]);
  }
  return ok(Object.fromEntries(entries));
}

function fillText(text: string, event: ReactorEvent): Result<Value, string> {
  const [, only] = /^\$\{([^}]*)\}$/.exec(text) ?? [];
  if (only !== undefined) {
    const value = valueAt(event, only);
    return value === undefined ? err(lacking(only, value)) : ok(value);
  }
  let missing: string | undefined;
  const filled = text.replace(PLACEHOLDER, (_whole, path: string | undefined) => {
    if (path === undefined) return '${';
    const value = valueAt(event, path);
    const word = asText(value);
    missing ??= word === undefined ? lacking(path, value) : undefined;
    return word ?? '';
  });
  return missing === undefined ? ok(filled) : err(missing);
}

function lacking(path: string, value: Value | undefined): string {
  if (value === undefined) return `the event has no ${path}`;
  const kind = isList(value) ? 'a list' : isMap(value) ? 'a map' : value === null ? 'null' : 'no text';
  return `${path} of the event is ${kind}, which cannot stand inside a longer text`;
}

function asText(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Float) return pyStr(value);
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined;
}

/** Only what the event itself holds: nothing inherited is a value. */
function valueAt(event: ReactorEvent, path: string): Value | undefined {
  const [root = '', ...rest] = path.split('.');
  if (root === 'tag') return rest.length === 0 ? event.tag : event.tag.split('/')[Number(rest[0])];
  if (root === 'id') return event.id;
  if (root === 'stamp') return event.stamp;
  if (root === 'origin') return rest[0] === 'kind' ? event.origin.kind : event.origin.name;
  let at: Value | undefined = event.data;
  for (const key of rest) {
    if (isList(at)) at = /^\d{1,6}$/.test(key) ? at[Number(key)] : undefined;
    else at = isMap(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** Something of it is an event's. */
export function isOfEvent(written: Value): boolean {
  const found = placeholdersIn(written);
  return !found.ok || found.value.length > 0;
}
