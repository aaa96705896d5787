/** One cluster for all tests of a file or of a `describe`: started before the first, gone after the last. */
import { type ClusterOptions, START_MS, upCluster, type UpCluster } from './up-cluster.js';

export function useCluster(options: ClusterOptions): () => UpCluster {
  let cluster: UpCluster | undefined;
  beforeAll(async () => {
    cluster = await upCluster(options);
  }, START_MS);
  afterAll(async () => {
    await cluster?.stop();
  }, START_MS);
  return () => {
    if (cluster === undefined) throw new Error('the cluster has not started');
    return cluster;
  };
}
