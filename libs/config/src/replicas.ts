/** No stream is on more nodes of the broker than this. */
export const MAX_REPLICAS = 3;

/** Broker nodes that hold each stored value: all that are named, at most three. */
export function replicasOf({ nats }: { readonly nats: readonly string[] }): number {
  return Math.min(nats.length, MAX_REPLICAS);
}
