/** Bytes of a value, about; to bound what is kept and sent. Every return is measured, so no list of a map's entries is made. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 5;
  if (typeof value === 'bigint') return value.toString().length + 10;
  if (!isHolding(value)) return 9;
  let size = 5;
  if (Array.isArray(value)) for (const item of value) size += roughSize(item);
  else for (const key in value) size += key.length + roughSize(value[key]);
  return size;
}

function isHolding(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
