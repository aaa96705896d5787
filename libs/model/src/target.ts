/** Who is meant: an expression and how to read it. */
export const TARGET_TYPES = [
  'glob',
  'pcre',
  'list',
  'grain',
  'grain_pcre',
  'pillar',
  'pillar_pcre',
  'pillar_exact',
  'ipcidr',
  'compound',
  'nodegroup',
] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

export interface Target {
  readonly tgt: string | readonly string[];
  /** As asked: an unknown word is refused with a sentence, not by the schema. */
  readonly tgtType: string;
  /** One character, `:` unless asked otherwise. */
  readonly delimiter?: string;
}
