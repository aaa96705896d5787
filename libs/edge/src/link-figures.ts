/** What every service tells of its keys and certificates, so that the end of each is seen in time. docs/operations.md#monitor. */
import { join } from 'node:path';
import { storageKeyMs } from '@natrium/keystore';
import type { RoleLink } from './role-link.js';
import type { ServiceMetrics } from './service-metrics.js';

export type Told = Pick<RoleLink, 'clock' | 'roles' | 'storageFolders'> & {
  readonly own: { readonly keyring: { readonly current: { readonly notBefore: number } } };
  readonly options: Pick<RoleLink['options'], 'epochMs' | 'pkiDir' | 'tls'>;
};

export function tellLinkFigures(metrics: ServiceMetrics, link: Told): void {
  const { clock, roles, own, options } = link;
  metrics.figure(
    'natrium_epoch_due_timestamp_seconds',
    'When this service changes the key that it seals and opens with',
    () => (own.keyring.current.notBefore + options.epochMs) / 1000,
  );
  metrics.figure(
    'natrium_roles_expire_timestamp_seconds',
    'When the roles document ends that is known here',
    () => roles.document.notAfter / 1000,
  );
  const { ca, cert } = options.tls ?? {};
  if (ca !== undefined) metrics.certificate('broker_ca', ca);
  if (cert !== undefined) metrics.certificate('broker_client', cert);
  metrics.certificate('broker', join(options.pkiDir, 'broker', 'tls', 'server.crt'));
  metrics.gauge('natrium_storage_key_age_seconds', 'Age of the key that seals what is stored, by class', 'class', () =>
    Array.from(
      link.storageFolders,
      ([name, { newest }]) => [name, (clock.now() - storageKeyMs(newest.id)) / 1000] as const,
    ),
  );
}
