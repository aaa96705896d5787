/**
 * `node unsealed-build.mjs FOLDER`: the programs of a cluster, bundled below FOLDER with sealing replaced by the identity,
 * so that a test can show that its search would find what sealing hides. The product has no such switch.
 */
import { basename } from 'node:path';
import { bundleProjects } from '../../tools/build.mjs';

const IDENTITY = `
export const NONCE_BYTES = 24;
export const TAG_BYTES = 16;
export function sealWith(_key, _nonce, _aad, plaintext, into) {
  const sealed = into ?? new Uint8Array(plaintext.length + TAG_BYTES);
  sealed.set(plaintext);
  return sealed;
}
export function openWith(_key, _nonce, _aad, sealed) {
  return sealed.length < TAG_BYTES ? undefined : sealed.slice(0, sealed.length - TAG_BYTES);
}
`;

const [, , into] = process.argv;
const replaced = new Set();
const unsealed = {
  name: 'unsealed',
  setup({ onLoad, initialOptions }) {
    onLoad({ filter: /\/libs\/envelope\/src\/aead\.ts$/ }, () => {
      replaced.add(basename(initialOptions.outdir));
      return { contents: IDENTITY, loader: 'js' };
    });
  },
};
const names = ['master-gateway', 'acl-service', 'runner-service', 'minion-agent', 'cli'];
await bundleProjects(names, { into, plugins: [unsealed] });
const sealed = names.filter((name) => !replaced.has(name));
if (sealed.length > 0) throw new Error(`sealing was not replaced in ${sealed.join(', ')}`);
