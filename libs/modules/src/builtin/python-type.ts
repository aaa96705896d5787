import { Float, isList, type Value } from '@natrium/model';

/** What Python calls the type of such a value. */
export function pythonType(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (value instanceof Float) return 'float';
  return isList(value) ? 'list' : 'dict';
}
