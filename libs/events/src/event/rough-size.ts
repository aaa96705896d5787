/** Bytes of a list or a map, beside those of what it holds. */
export const HOLDING = 5;

/** Bytes of a value, about; to bound what is kept and sent. Every return is measured, so no list of a map's entries is made. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return headed(Buffer.byteLength(value));
  if (typeof value === 'number') return Number.isInteger(value) ? wholeSize(value) : 9;
  if (typeof value === 'bigint') return value.toString().length + 10;
  if (!isHolding(value)) return 1;
  let size = HOLDING;
  if (Array.isArray(value)) for (const item of value) size += roughSize(item);
  else for (const key in value) size += headed(Buffer.byteLength(key)) + roughSize(value[key]);
  return size;
}

/** Bytes of a text or a key with its head. @param length Bytes of the text alone. */
export function headed(length: number): number {
  if (length < 32) return length + 1;
  return length + (length < 0x100 ? 2 : length < 0x10000 ? 3 : 5);
}

function wholeSize(value: number): number {
  if (value >= -0x20 && value < 0x80) return 1;
  const most = value < 0 ? -2 * value : value;
  if (most <= 0xff) return 2;
  if (most <= 0xffff) return 3;
  return most <= 0xffffffff ? 5 : 9;
}

function isHolding(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
