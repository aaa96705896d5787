/** The values that have an encoding: spec/envelope.md#encoding. */

export type Wire = null | boolean | number | string | Uint8Array | readonly Wire[] | WireMap;

export interface WireMap {
  readonly [key: string]: Wire;
}
