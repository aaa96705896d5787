/**
 * Recorded requests from a file: an exported audit, or what `natriumctl audit tail --json` prints.
 *
 * Nothing is verified here; `natriumctl audit verify` does that. A forged record can only add a line to a comparison.
 */
import { type AuditRecord, readAudit } from '@natrium/envelope';
import { fromPlain, isMap, type Plain, type Value } from '@natrium/model';
import { readRecorded, type Recorded } from '@natrium/policy-tools';
import { UsageError } from '../common/options.js';
import { textNamed } from '../common/text-of.js';

/** What is not about a request is passed over. @throws {UsageError} When a line is no JSON. */
export function recordsIn(file: string): readonly Recorded[] {
  return textNamed(file)
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return [];
      const said = exportedIn(parsed(line, `${file}:${index + 1}`));
      const record = said === undefined ? undefined : readRecorded(said);
      return record === undefined ? [] : [record];
    });
}

function parsed(line: string, place: string): Value {
  try {
    return fromPlain(JSON.parse(line) as Plain);
  } catch {
    throw new UsageError(`${place}: this line is no JSON`);
  }
}

/** An exported line holds the record's own bytes; what it says beside them is for people. */
function exportedIn(said: Value): Value | undefined {
  const bytes = isMap(said) ? said['record'] : undefined;
  if (typeof bytes !== 'string') return said;
  const read = readAudit(Buffer.from(bytes, 'base64'));
  return read.ok ? saidBy(read.value) : undefined;
}

function saidBy({ caller, detail }: AuditRecord): Value | undefined {
  const { funs, target, tgt_type: tgtType, form, eauth } = detail;
  if (caller === null || !Array.isArray(funs)) return undefined;
  return {
    caller: { kind: caller.kind, name: caller.name },
    funs: funs.filter((fun): fun is string => typeof fun === 'string'),
    target: typeof target === 'string' ? target : '',
    // Records of earlier versions have none of these.
    ...(typeof tgtType === 'string' ? { tgt_type: tgtType } : {}),
    ...(typeof form === 'string' ? { form } : {}),
    ...(typeof eauth === 'string' ? { backend: eauth } : {}),
  };
}
