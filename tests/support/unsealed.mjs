/**
 * `node --import unsealed.mjs PROGRAM`: a built program in which sealing is replaced by the identity, so that a test can show that its
 * search would find what sealing hides. The product has no such switch: its libsodium is replaced where Node loads it.
 */
import Module from 'node:module';
import { basename } from 'node:path';

const load = Module._extensions['.node'];

Module._extensions['.node'] = (module, file) => {
  load(module, file);
  if (basename(file).startsWith('sodium-native')) module.exports = unsealed(module.exports);
};

/** The functions write into their first argument. The tag is left as it is, and nobody looks at it. */
function unsealed(sodium) {
  return {
    ...sodium,
    crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, plaintext) {
      sealed.set(plaintext);
      return sealed.length;
    },
    crypto_aead_xchacha20poly1305_ietf_decrypt(plaintext, sealed) {
      plaintext.set(sealed.subarray(0, plaintext.length));
      return plaintext.length;
    },
  };
}
