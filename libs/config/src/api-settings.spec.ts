import type { Value } from '@natrium/model';
import { MasterFolder } from './master-folder.spec-support.js';

let master: MasterFolder;
beforeEach(() => {
  master = new MasterFolder();
});
afterEach(() => {
  master.remove();
});

const problems = (text: string) => master.problems({ master: text });

describe('rest_cherrypy', () => {
  it.each([
    [
      'authorized_ip: [192.0.2.1]',
      "authorized_ip: this is no setting of Salt's API. Mend: did you mean authorized_ips?",
    ],
    [
      'Authorized_ips: [192.0.2.1]',
      "Authorized_ips: this is no setting of Salt's API. Mend: did you mean authorized_ips?",
    ],
    ['firewall: true', "firewall: this is no setting of Salt's API. Mend: remove it."],
    ['api_acl: {}', 'api_acl: this is not supported. Mend: use authorized_ips, or a proxy before this API.'],
    ['port: many', 'port: this is not a port (0 to 65535). Mend: write one.'],
    ['port: 65536', 'port: this is not a port (0 to 65535). Mend: write one.'],
    ['max_request_body_size: 1.5', 'max_request_body_size: this is not a whole number. Mend: write one.'],
    ['ssl_crt: [a]', 'ssl_crt: this is not a text. Mend: write one.'],
    ['app_path: gui', 'app_path: this is not a path that begins with a slash. Mend: write one.'],
  ])('with %s is a problem, also where no port asks for an API: file, line and mend are named', (line, sentence) => {
    for (const port of ['http_port: 8000', '# none'])
      expect(problems(`${port}\nrest_cherrypy:\n  host: 192.0.2.1\n  ${line}\n`)).toEqual([
        `DIR/master:4: rest_cherrypy.${sentence}`,
      ]);
  });

  it.each(['[authorized_ips]', '8000', 'true', '"port: 8000"'])('that is %s and no mapping is a problem', (value) => {
    expect(problems(`rest_cherrypy: ${value}\n`)).toEqual([
      'DIR/master:1: rest_cherrypy: this is no mapping of settings. Mend: write {port: 8000, ssl_crt: FILE, ssl_key: FILE}, or nothing.',
    ]);
  });

  it.each<[string, Value]>([
    ['port: "8000"', { port: '8000' }],
    ['port:', { port: null }],
    ['app_path: ""', { app_path: '' }],
    [
      '{port: 8000, thread_pool: 30, cors_origin: "*", debug: false}',
      { port: 8000, thread_pool: 30, cors_origin: '*', debug: false },
    ],
  ])('takes %s, as Salt does', (text, taken) => {
    expect(master.load({ master: `rest_cherrypy:\n  ${text}\n` }).config.rest_cherrypy).toEqual(taken);
  });

  it('of several files is all of the last one', () => {
    const files = { master: 'rest_cherrypy: {prot: 1}\n', 'master.d/a.conf': 'rest_cherrypy: {port: 8000}\n' };
    expect(master.load(files).config.rest_cherrypy).toEqual({ port: 8000 });
  });
});

describe('http_proxies', () => {
  it('takes addresses, networks and the names of some', () => {
    const list = ['uniquelocal', '192.0.2.1', '10.0.0.0/8', 'fd00::/8'];
    expect(master.load({ master: `http_proxies: ${JSON.stringify(list)}\n` }).config.http_proxies).toEqual(list);
  });

  it.each(['everybody', '10.0.0.0/33', '10.0.0.0/', '10.0.0', 'fd00::/129', ''])(
    'refuses %j, with its line',
    (name) => {
      expect(problems(`http_proxies:\n  - 192.0.2.1\n  - '${name}'\n`)).toEqual([
        `DIR/master:3: http_proxies.1: '${name}' is no address or network. Mend: it takes an address, a network (10.0.0.0/8), linklocal or uniquelocal.`,
      ]);
    },
  );
});
