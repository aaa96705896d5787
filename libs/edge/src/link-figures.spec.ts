/** Rules of what every service tells of its keys and certificates: when each ends, before it does. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageFolder, storageKeyId } from '@natrium/keystore';
import { type Told, tellLinkFigures } from './link-figures.js';
import { ServiceMetrics } from './service-metrics.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');
/** Of nobody, and its key is gone. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBLDCB36ADAgECAhQLHYi4AXTLOiiEtPgMldBc1EvaeTAFBgMrZXAwDDEKMAgG
A1UEAwwBYjAeFw0yNjExMjcxMzUxNDlaFw0yODAxMDExMzUxNDlaMAwxCjAIBgNV
BAMMAWIwKjAFBgMrZXADIQBL/2QML45Sw17NHSYd82MN5ncD6svjBPrCQ2+it4jW
7qNTMFEwHQYDVR0OBBYEFH1lhESkmXT5sEPO8Waf+6NVr3cIMB8GA1UdIwQYMBaA
FH1lhESkmXT5sEPO8Waf+6NVr3cIMA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EA
bQbl3qaTePj9zxkGFF0J0R05YhTlPT6i/IypV+ZAmwnAG1W8thF3KguQJrZTs1km
xfPOitIcoYN5gsCDN05aCg==
-----END CERTIFICATE-----
`;
const CERTIFICATE_ENDS = Date.parse('2028-01-01T13:51:49Z') / 1000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-figures-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function told(link: Partial<Told>): Promise<readonly string[]> {
  const metrics = new ServiceMetrics('acl');
  tellLinkFigures(metrics, {
    clock: { now: () => NOW },
    roles: { document: { notAfter: NOW + 5000 } },
    own: { keyring: { current: { notBefore: NOW - 1000 } } },
    storageFolders: new Map(),
    options: { epochMs: 3000, pkiDir: folder, tls: undefined },
    ...link,
  } as Told);
  const lines = (await metrics.registry.metrics())
    .split('\n')
    .filter((line) => /^natrium_.*(?:expire|due|age)_/.test(line));
  return lines.map((line) => line.replace(/,?service="acl"/, '').replace('{}', ''));
}

it('tells when its key is due to change and when the roles document ends', async () => {
  expect(await told({})).toEqual([
    `natrium_epoch_due_timestamp_seconds ${NOW / 1000 + 2}`,
    `natrium_roles_expire_timestamp_seconds ${NOW / 1000 + 5}`,
  ]);
});

it('tells the age of the key that seals, of each class that it stores', async () => {
  const keys = join(folder, 'jobs');
  mkdirSync(keys);
  writeFileSync(join(keys, `${storageKeyId(NOW - 60_000)}.key`), Buffer.alloc(32).toString('hex'));
  const storageFolders = new Map([['jobs', new StorageFolder(keys, () => NOW)]]) as Told['storageFolders'];
  expect(await told({ storageFolders })).toContain('natrium_storage_key_age_seconds{class="jobs"} 60');
});

it('tells when each certificate ends that it knows, also the next one in the same file, and nothing of one that is not there', async () => {
  const [ca, cert] = [join(folder, 'ca.crt'), join(folder, 'own.crt')];
  writeFileSync(ca, CERTIFICATE);
  const line = (what: string) => `natrium_certificate_expire_timestamp_seconds{what="${what}"} ${CERTIFICATE_ENDS}`;
  const link = { options: { epochMs: 3000, pkiDir: folder, tls: { ca, cert } } } as Partial<Told>;
  expect(await told(link)).toEqual(expect.arrayContaining([line('broker_ca')]));
  expect(await told(link)).not.toEqual(expect.arrayContaining([line('broker_client')]));
  mkdirSync(join(folder, 'broker', 'tls'), { recursive: true });
  for (const path of [cert, join(folder, 'broker', 'tls', 'server.crt')]) writeFileSync(path, CERTIFICATE);
  expect(await told(link)).toEqual(expect.arrayContaining(['broker_ca', 'broker_client', 'broker'].map(line)));
});
