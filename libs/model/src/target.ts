/** Who is meant: an expression and how to read it. */
export interface Target {
  readonly tgt: string | readonly string[];
  /** As asked: an unknown word is refused with a sentence, not by the schema. */
  readonly tgtType: string;
  /** One character, `:` unless asked otherwise. */
  readonly delimiter?: string;
}
