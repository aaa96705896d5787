/** Bytes of a value, about; to bound what is kept and sent. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 5;
  if (typeof value === 'bigint') return value.toString().length + 10;
  if (typeof value !== 'object' || value === null) return 9;
  let size = 5;
  for (const [key, item] of Object.entries(value)) size += key.length + roughSize(item);
  return size;
}
