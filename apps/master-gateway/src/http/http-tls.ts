/**
 * The certificate of the HTTP API. It is read at the start, where what cannot be used stops it, and again whenever its files change:
 * who renews it has nothing to restart. What cannot be used then changes nothing.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { createSecureContext, type Server } from 'node:tls';
import { FolderWatch } from '@natrium/config';
import { messageOf } from '@natrium/model';
import type { Logger } from 'pino';
import { SettingInvalid } from './setting-invalid.js';

/** Paths, by the names of their settings. */
export interface TlsFiles {
  readonly ssl_crt: string;
  readonly ssl_key: string;
  readonly ssl_chain: string | undefined;
}

export interface TlsPair {
  /** With its chain behind it. */
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** @throws {ConfigInvalid} When one cannot be read, or they do not belong together. */
export function readPair({ ssl_crt: crt, ssl_key: key, ssl_chain: chain }: TlsFiles): TlsPair {
  const more = chain === undefined ? [] : [fileAt('ssl_chain', chain)];
  const pair = { cert: Buffer.concat([fileAt('ssl_crt', crt), ...more]), key: fileAt('ssl_key', key) };
  try {
    createSecureContext(pair);
  } catch (cause) {
    const what = `${crt} and ssl_key ${key} are no certificate with its key: ${messageOf(cause)}`;
    throw new SettingInvalid(['rest_cherrypy', 'ssl_crt'], what, { cause });
  }
  return pair;
}

/** @param used What the server was started with. @returns What ends the watch. */
export function followCertificate(
  server: Pick<Server, 'setSecureContext'>,
  files: TlsFiles,
  used: TlsPair,
  log: Logger,
): () => void {
  let now = used;
  let told = '';
  const read = (): void => {
    try {
      const pair = readPair(files);
      told = '';
      if (pair.cert.equals(now.cert) && pair.key.equals(now.key)) return;
      server.setSecureContext(pair);
      now = pair;
      log.info({ ssl_crt: files.ssl_crt }, 'the HTTP API has the certificate that is in its files now');
    } catch (cause) {
      // One is written before the other, and a folder changes often: each fault is told once.
      if (told !== messageOf(cause))
        log.error({ err: cause }, 'the certificate of the HTTP API has changed and cannot be used; the one from before stays');
      told = messageOf(cause);
    }
  }; // prettier-ignore
  const watch = new FolderWatch({
    folders: () => foldersOf(files).map((path) => ({ path })),
    read,
    onFault: (folder, error) => {
      log.error({ err: error, folder }, 'the folder of the HTTP API’s certificate is not watched; a restart reads it');
    },
  });
  // What has changed between the start's reading and the first watch.
  watch.readNow();
  return () => {
    watch.close();
  };
}

/** Where the files lie, and where they really lie: ACME clients replace a link. */
function foldersOf({ ssl_crt: crt, ssl_key: key, ssl_chain: chain }: TlsFiles): readonly string[] {
  const paths = [crt, key, ...(chain === undefined ? [] : [chain])];
  const folders = paths.flatMap((path) => [dirname(path), dirname(realPathOf(path))]);
  return [...new Set(folders)].filter((folder) => existsSync(folder));
}

/** The path itself where nothing is at this moment: what is renewed is replaced. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function fileAt(key: keyof TlsFiles, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new SettingInvalid(['rest_cherrypy', key], `cannot be read: ${messageOf(cause)}`, { cause });
  }
}
