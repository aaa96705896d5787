/** IPv4 addresses as numbers; this is the inner loop of a network target over a whole fleet. */

const DOT = 46;
const ZERO = 48;

/** @returns undefined when it is not four parts of 0 to 255 without leading zeros. */
export function parseFour(text: string): number | undefined {
  let bits = 0;
  let part = -1;
  let dots = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (part < 0) return undefined;
      bits = bits * 256 + part;
      part = -1;
      digits = 0;
      dots += 1;
    } else {
      const digit = code - ZERO;
      if (digit < 0 || digit > 9 || (digits > 0 && part === 0)) return undefined;
      part = part < 0 ? digit : part * 10 + digit;
      digits += 1;
      if (part > 255) return undefined;
    }
  }
  return dots === 3 && part >= 0 ? bits * 256 + part : undefined;
}
