/**
 * One check removed at a time: what spec/envelope.md says must be checked, the edit that takes it out, and the test that has
 * to find it. An edit is an exact text that is there once; one that no longer fits fails loudly.
 */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The file of the test that finds it, and the beginning of its name. */
  readonly spec: string;
  readonly test: string;
}

export const edit = (file: string, from: string, to: string): Edit => ({ file, from, to });

/** The files of a mutant as it has them. @throws {Error} When the text of an edit is not there exactly once. */
export function mutated({ name, edits }: Mutant, read: (file: string) => string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const text = texts.get(file) ?? read(file);
    const times = text.split(from).length - 1;
    if (times !== 1)
      throw new Error(`the mutant "${name}" no longer applies: its text is ${String(times)} times in ${file}`);
    texts.set(
      file,
      text.replace(from, () => to),
    );
  }
  return texts;
}
