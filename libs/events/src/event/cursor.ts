/**
 * How far a listener has heard: the place in the journal, and of gateways whose events it heard before they were stored, the
 * number of the last one.
 *
 * As text `<sequence>.<index>[~<gateway>:<number>…]`; to listeners it is opaque.
 */
export interface Cursor {
  /** The message of the journal; 0 before the first. */
  readonly sequence: number;
  /** The last event of that message that was heard. */
  readonly index: number;
  /** By sender: numbers up to this one were heard already, wherever the journal holds them. */
  readonly ahead: ReadonlyMap<string, number>;
}

/** Behind all events of a message. */
export const LAST_INDEX = 99_999;
/** Who goes from gateway to gateway gathers some of each; a minion's numbers have 16 digits. */
const MAX_AHEAD = 64;
const NOBODY: ReadonlyMap<string, number> = new Map();

export function cursorText(sequence: number, index: number, ahead: ReadonlyMap<string, number> = NOBODY): string {
  let text = `${String(sequence)}.${String(index)}`;
  for (const [sender, number] of ahead) text += `~${sender}:${String(number)}`;
  return text;
}

/** @returns undefined when the text is no cursor. */
export function readCursor(text: string): Cursor | undefined {
  const [place = '', ...parts] = text.split('~');
  const [, sequence, index] = /^(\d{1,15})\.(\d{1,5})$/.exec(place) ?? [];
  if (sequence === undefined || index === undefined || parts.length > MAX_AHEAD) return undefined;
  const ahead = new Map<string, number>();
  for (const part of parts) {
    const [, sender, number] = /^([a-z0-9_-]{1,64}):(\d{1,16})$/.exec(part) ?? [];
    if (sender === undefined || number === undefined) return undefined;
    ahead.set(sender, Number(number));
  }
  return { sequence: Number(sequence), index: Number(index), ahead };
}
