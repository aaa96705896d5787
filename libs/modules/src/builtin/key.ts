/** `key.*`: this minion's own key, by its fingerprint alone. */
import { defineModule } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';

export const keyModule = defineModule('key', {
  finger_master: fn(
    {
      doc: 'The fingerprint of the cluster’s root key, which this minion trusts.',
      returns: 'text',
      examples: ['key.finger_master'],
    },
    (_, { masterFingerprint }) => {
      if (masterFingerprint === undefined)
        throw new ExecutionError('this host has no master_finger, and the agent is not asked here');
      return masterFingerprint;
    },
  ),
  finger: fn(
    {
      doc: 'The fingerprint of this minion’s public key, as natrium-key shows it on the master.',
      returns: 'text',
      examples: ['key.finger'],
    },
    (_, { fingerprint }) => {
      if (fingerprint === undefined)
        throw new ExecutionError('this host has no key yet; its agent makes one at its first start');
      return fingerprint;
    },
  ),
});
