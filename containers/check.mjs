/** The health check of a container: `node check.mjs URL` ends with 0 when that answers with 200. Small, since it runs for ever. */
import { get } from 'node:http';

get(process.argv[2], { timeout: 3000 }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
