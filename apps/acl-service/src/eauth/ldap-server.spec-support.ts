/** A server that speaks the protocol just as far as told. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** What it answers, as the body of a message: success of an extended operation and of a bind, and how a search ends. */
export const STARTTLS_TAKEN = '78070a010004000400';
export const BOUND = '61070a010004000400';
export const TOO_BUSY = '61070a013304000400';
export const NOT_BOUND = '61070a013104000400';
export const SEARCHED = '65070a010004000400';
export const MAY_NOT_SEARCH = '65070a013204000400';

const [BIND, SEARCH] = [0x60, 0x63];
const [ENTRY, SEQUENCE, SET, OCTETS] = [0x64, 0x30, 0x31, 0x04];

export class LdapServers {
  readonly #servers: Server[] = [];

  /** @returns Its address. */
  async start(serve: (socket: Socket) => void): Promise<string> {
    const server = createServer(serve);
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return `ldap://127.0.0.1:${String(port)}`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/** Answers binds with `bound`, and each search of a connection with the next of `searched`. */
export function serving(bound: string, ...searched: readonly string[]): (socket: Socket) => void {
  return (socket) => {
    let searches = 0;
    socket.on('data', (operation) => {
      if (operation[5] === BIND) socket.write(answer(operation, bound));
      if (operation[5] !== SEARCH) return;
      socket.write(answer(operation, ...(searched[searches] ?? SEARCHED).split(' ')));
      searches += 1;
    });
  };
}

/** @param asked The number of the operation is its fifth byte. */
export function answer(asked: Buffer, ...bodies: readonly string[]): Buffer {
  const number = Buffer.from([0x02, 0x01, asked[4] ?? 0]);
  return Buffer.concat(bodies.map((body) => element(SEQUENCE, number, Buffer.from(body, 'hex'))));
}

/** A search that found one entry. */
export function found(dn: string, attributes: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(attributes).map(([type, value]) =>
    element(SEQUENCE, octets(type), element(SET, octets(value))),
  );
  return `${element(ENTRY, octets(dn), element(SEQUENCE, ...pairs)).toString('hex')} ${SEARCHED}`;
}

function octets(text: string): Buffer {
  return element(OCTETS, Buffer.from(text));
}

function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
}
