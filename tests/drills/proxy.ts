/** A TCP proxy on loopback that can be cut: what is open ends, and what comes then is refused until it is mended. */
import { createConnection, createServer, type Server, type Socket } from 'node:net';

export class Proxy {
  readonly #open = new Set<Socket>();
  #cut = false;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** Passes on to a port of loopback. */
  static to(target: number): Promise<Proxy> {
    return new Promise((resolve, reject) => {
      const server = createServer().once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : 0;
        const proxy = new Proxy(server, port);
        server.on('connection', (socket) => {
          proxy.#join(socket, target);
        });
        resolve(proxy);
      });
    });
  }

  /**
   * Nothing passes any more. `silently`: the ends are not told, as when a cable is pulled; they find out by themselves.
   */
  cut(silently: boolean): void {
    this.#cut = true;
    for (const socket of this.#open) {
      if (silently) socket.pause();
      else socket.destroy();
    }
  }

  /** What was open before has ended; new connections pass. */
  mend(): void {
    this.#cut = false;
    for (const socket of this.#open) socket.destroy();
  }

  close(): void {
    this.server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #join(near: Socket, target: number): void {
    if (this.#cut) {
      near.destroy();
      return;
    }
    const far = createConnection(target, '127.0.0.1');
    for (const [one, other] of [[near, far], [far, near]] as const) {
      this.#open.add(one);
      one.setNoDelay(true);
      one.on('data', (bytes) => {
        // What had been read before the cut is lost with it.
        if (!this.#cut && !other.destroyed) other.write(bytes);
      });
      one.on('error', () => one.destroy());
      one.on('close', () => {
        this.#open.delete(one);
        other.destroy();
      });
    } // prettier-ignore
  }
}
