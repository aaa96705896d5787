/**
 * The master bus on this host: one gateway serves the sockets of `sock_dir`; another that runs here keeps a connection to it
 * and takes them over when that breaks. So scripts find the bus in the same place while any gateway is alive.
 *
 * Two that find nobody at the same moment both serve; the one whose sockets are no longer in their places notices it, and stands by.
 *
 * Spec: docs/event-bus.md#where-the-sockets-are.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type EventFeed, masterSocketBase, serveJsonSocket, serveSaltSockets, type UnixServer } from '@natrium/events';
import { connectToSocket } from '@natrium/process';
import { messageOf } from '@natrium/model';
import type { Logger } from 'pino';
import { warningSeldom } from '../seldom.js';
import type { EventAcl } from './event-acl.js';

export interface MasterSocketsOptions {
  readonly bus: EventFeed & { readonly cursor: string };
  readonly sockDir: string;
  readonly instance: string;
  readonly maxBytes: number;
  readonly acl: EventAcl;
  readonly log: Logger;
  readonly random?: () => number;
}

const ORIGIN = { kind: 'local', name: 'master' } as const;
const GREETING_MS = 2000;
/** Gateways that have lost the same holder wait for a random part of this, so that not all of them try to take over at once. */
const TURN_MS = 200;
const LOOK_MS = 1000;

export class MasterSockets {
  readonly #servers: UnixServer[] = [];
  readonly #failed: (what: string) => void;
  #holder: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turning = false;
  #closed = false;

  constructor(private readonly options: MasterSocketsOptions) {
    this.#failed = warningSeldom(options.log, 'the sockets of the event bus could not be taken over');
  }

  get #jsonPath(): string {
    return join(this.options.sockDir, 'master_event.sock');
  }

  /** Resolves when this gateway serves the sockets, or another one does. */
  async open(): Promise<void> {
    await this.#take();
    this.#timer = setInterval(() => {
      this.#look();
    }, LOOK_MS).unref();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#holder?.destroy();
    this.#stopServing();
  }

  #stopServing(): void {
    for (const server of this.#servers.splice(0)) server.close();
  }

  async #take(): Promise<void> {
    if (!this.#closed && !(await this.#follow())) await this.#serve();
    if (this.#closed) this.close(); // it was closed meanwhile
  }

  /** @returns Whether another gateway serves; then this one stands by. */
  async #follow(): Promise<boolean> {
    const holder = await greeted(this.#jsonPath);
    if (holder === undefined) return false;
    this.#holder = holder;
    holder.once('close', () => {
      this.#holder = undefined;
      void this.#again();
    });
    return true;
  }

  /** Takes over again when another socket has taken the place of one that is served here: nobody reaches that one any more. */
  #look(): void {
    if (this.#holder !== undefined) return;
    if (this.#servers.length === 0 || !this.#servers.every((server) => server.inPlace())) void this.#again();
  }

  async #again(): Promise<void> {
    if (this.#turning || this.#closed) return;
    this.#turning = true;
    try {
      this.#stopServing();
      await pause((this.options.random ?? Math.random)() * TURN_MS);
      await this.#take();
    } catch (cause) {
      this.#failed(messageOf(cause));
    } finally {
      this.#turning = false;
    }
  }

  /** All of them or none: whoever serves some would not be looked for again. */
  async #serve(): Promise<void> {
    try {
      await this.#makeAll();
    } catch (cause) {
      this.#stopServing();
      throw cause;
    }
  }

  async #makeAll(): Promise<void> {
    const { bus, sockDir, instance, maxBytes, acl, log } = this.options;
    const onProblem = (problem: string, cause?: unknown) => {
      log.warn({ err: cause }, problem);
    };
    const json = { feed: bus, origin: ORIGIN, instance, maxBytes };
    const servers = this.#servers;
    servers.push(
      await serveSaltSockets({ feed: bus, base: masterSocketBase(sockDir), origin: ORIGIN, maxBytes, onProblem }),
    );
    servers.push(await serveJsonSocket({ ...json, place: { path: this.#jsonPath } }));
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

/** A connection to the gateway that answers at a path; none when none does. */
function greeted(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connectToSocket(path);
    const fail = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(undefined);
    };
    const timer = setTimeout(fail, GREETING_MS);
    socket.once('error', fail).once('close', fail);
    // Any answer greets, a refusal too; who subscribed would count as a listener for as long as this stands by.
    socket.write('{"standby": true}\n');
    const hear = (chunk: Buffer) => {
      if (!chunk.includes('\n')) return;
      clearTimeout(timer);
      socket.off('data', hear).off('error', fail).off('close', fail);
      socket.on('error', () => socket.destroy()).resume();
      resolve(socket);
    };
    socket.on('data', hear);
  });
}

const PASSABLE = 0o711;

function makePassable(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, PASSABLE);
}
