/** A function's documentation as people read it, made from its declaration. */
import { pyRepr } from '@natrium/model';
import { wantedText } from './coerce.js';
import type { FunctionSpec, Param } from './declaration.js';
import { isNamed, isRest } from './param-kinds.js';

/** `test.echo text`, `cmd.run cmd [cwd=None] **kwargs`. */
function usageText(fun: string, params: readonly Param[]): string {
  return [fun, ...params.map(paramText)].join(' ');
}

/** The text of `sys.doc`: what it does, its arguments, what comes back, examples. */
export function docText<C>(fun: string, spec: FunctionSpec<C>, program: string): string {
  const parts = [spec.doc.trim(), `Usage: ${usageText(fun, spec.params)}`];
  const described = spec.params.flatMap(describe);
  if (described.length > 0) parts.push(described.join('\n'));
  if (spec.returns !== undefined) parts.push(`Returns: ${spec.returns}`);
  const examples = spec.examples ?? [];
  if (examples.length > 0) parts.push(`CLI Example:\n\n${examples.map((line) => `    ${program} ${line}`).join('\n')}`);
  return parts.join('\n\n');
}

function paramText(param: Param): string {
  if (!isNamed(param)) return isRest(param) ? `*${param.rest}` : `**${param.kwargs}`;
  if (param.default === undefined) return param.keyword === true ? `${param.name}=…` : param.name;
  return `[${param.name}=${pyRepr(param.default)}]`;
}

function describe(param: Param): readonly string[] {
  if (param.doc === undefined) return [];
  if (!isNamed(param)) return [`    ${isRest(param) ? param.rest : param.kwargs}: ${param.doc}`];
  const kind = param.type === 'any' ? '' : ` (${wantedText(param.type)})`;
  return [`    ${param.name}${kind}: ${param.doc}`];
}
