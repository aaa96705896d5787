/** Salt's terminal colours: the colour opens before the text and is reset after it, indentation outside. */
const CODES = {
  red: '\u001b[0;31m',
  green: '\u001b[0;32m',
  cyan: '\u001b[0;36m',
  blue: '\u001b[0;34m',
  lightRed: '\u001b[0;1;31m',
  lightGreen: '\u001b[0;1;32m',
  lightYellow: '\u001b[0;1;33m',
  lightBlue: '\u001b[0;1;34m',
  lightMagenta: '\u001b[0;1;35m',
} as const;
export type Color = keyof typeof CODES;

const RESET = '\u001b[0;0m';

export function paint(text: string, color: Color, wanted: boolean): string {
  return wanted ? `${CODES[color]}${text}${RESET}` : text;
}
