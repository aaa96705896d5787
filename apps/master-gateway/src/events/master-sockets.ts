/**
 * The master bus on this host: one gateway serves the sockets of `sock_dir`; another that runs here keeps a connection to it
 * and takes them over when that breaks. So scripts find the bus in the same place while any gateway is alive.
 *
 * Spec: docs/event-bus.md#where-the-sockets-are.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  type JournaledBus,
  masterSocketBase,
  serveJsonSocket,
  serveSaltSockets,
  type UnixServer,
} from '@natrium/events';
import type { Logger } from 'pino';
import type { EventAcl } from './event-acl.js';

export interface MasterSocketsOptions {
  readonly bus: JournaledBus;
  readonly sockDir: string;
  readonly instance: string;
  readonly maxBytes: number;
  readonly acl: EventAcl;
  readonly log: Logger;
}

const ORIGIN = { kind: 'local', name: 'master' } as const;
const GREETING_MS = 2000;

export class MasterSockets {
  #servers: UnixServer[] = [];
  #holder: Socket | undefined;
  #closed = false;

  constructor(private readonly options: MasterSocketsOptions) {}

  get #jsonPath(): string {
    return join(this.options.sockDir, 'master_event.sock');
  }

  /** Resolves when this gateway serves the sockets, or another one does. */
  async open(): Promise<void> {
    if (await this.#follow()) return;
    await this.#serve();
    // Two that found nobody have both put theirs there: the last one in place is the one that everybody reaches.
    if (await this.#follow()) this.#stopServing();
  }

  close(): void {
    this.#closed = true;
    this.#holder?.destroy();
    this.#stopServing();
  }

  #stopServing(): void {
    for (const server of this.#servers) server.close();
    this.#servers = [];
  }

  /** @returns Whether another gateway serves; then this one stands by. */
  async #follow(): Promise<boolean> {
    const holder = await greeted(this.#jsonPath);
    if (holder === undefined) return false;
    if (holder.instance === this.options.instance) {
      holder.socket.destroy();
      return false;
    }
    this.#holder = holder.socket;
    holder.socket.once('close', () => {
      this.#holder = undefined;
      if (this.#closed) return;
      this.open().catch((cause: unknown) => {
        this.options.log.error({ err: cause }, 'the sockets of the event bus could not be taken over');
      });
    });
    return true;
  }

  async #serve(): Promise<void> {
    const { bus, sockDir, instance, maxBytes, acl, log } = this.options;
    const onProblem = (problem: string, cause?: unknown) => {
      log.warn({ err: cause }, problem);
    };
    const json = { feed: bus, origin: ORIGIN, instance, maxBytes };
    const servers: UnixServer[] = [
      await serveSaltSockets({ feed: bus, base: masterSocketBase(sockDir), origin: ORIGIN, maxBytes, onProblem }),
      await serveJsonSocket({ ...json, place: { path: this.#jsonPath } }),
    ];
    this.#servers = servers;
    const places = acl.places(sockDir, onProblem);
    // Others have to get past this folder; each file in it keeps its own mode.
    if (places.length > 0) for (const folder of [sockDir, join(sockDir, 'events')]) makePassable(folder);
    for (const { place, rights, name } of places) {
      try {
        servers.push(await serveJsonSocket({ ...json, origin: { kind: 'local', name }, place, rights }));
      } catch (cause) {
        onProblem(`event_acl: ${name} gets no socket; only root can make one for another account`, cause);
      }
    }
  }
}

/** The gateway behind a socket, by its own word. */
function greeted(path: string): Promise<{ readonly instance: string; readonly socket: Socket } | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const fail = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(undefined);
    };
    const timer = setTimeout(fail, GREETING_MS);
    socket.once('error', fail);
    // A subscription to nothing: it costs its server nothing and ends with it.
    socket.write('{"subscribe": ["natrium/standby"], "match": "fnmatch"}\n');
    let said = '';
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const [line = ''] = said.split('\n');
      if (line === said) return;
      clearTimeout(timer);
      socket.off('data', hear).off('error', fail);
      socket.on('error', () => socket.destroy()).resume();
      resolve({ instance: instanceIn(line), socket });
    };
    socket.on('data', hear);
  });
}

const PASSABLE = 0o711;

function makePassable(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, PASSABLE);
}

function instanceIn(line: string): string {
  try {
    return String((JSON.parse(line) as { readonly instance?: unknown }).instance);
  } catch {
    return '';
  }
}
