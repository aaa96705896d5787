import { listenTrouble } from './listen-trouble.js';

const told = (host: string, code: string) => {
  const cause = Object.assign(new Error(`listen ${code}`), { code });
  return listenTrouble({ host, port: 443 }, { what: 'the HTTP API', settings: 'http_port', cause });
};

it.each([
  ['0.0.0.0', 'EACCES', 'the HTTP API cannot listen on 0.0.0.0:443 (EACCES): a port below 1024 is for root, or for a unit with AmbientCapabilities=CAP_NET_BIND_SERVICE'],
  ['::1', 'EADDRINUSE', 'the HTTP API cannot listen on [::1]:443 (EADDRINUSE): another program listens there'],
  ['10.9.9.9', 'EADDRNOTAVAIL', 'the HTTP API cannot listen on 10.9.9.9:443 (EADDRNOTAVAIL): this host has no such address'],
  ['no.where', 'ENOTFOUND', 'the HTTP API cannot listen on no.where:443 (ENOTFOUND): there is no host of that name'],
])('an address that cannot be listened on is told with what to do, and where it is set: %s, %s', (host, code, said) => {
  expect(told(host, code)).toMatchObject({
    message: expect.stringMatching(/set (another|an|one)[^()]* \(http_port\)$/) as string,
    cause: { code },
  });
  expect(told(host, code)).toMatchObject({ message: expect.stringContaining(said) as string });
}); // prettier-ignore

it('what has nothing to do with the address stays as it is', () => {
  expect(told('::1', 'EMFILE')).toMatchObject({ message: 'listen EMFILE' });
});
