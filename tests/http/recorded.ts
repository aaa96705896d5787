/**
 * One request and the answer to it, for each endpoint, as Salt's `rest_cherrypy` has them. In an expected body a text in angle
 * brackets stands for what differs from run to run: `<jid>`, `<token>`, `<number>`, `<any>`; further keys of a `{...}` map are free.
 */
import type { User } from './world.js';

export interface Recorded {
  readonly about: string;
  readonly as?: User;
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly returns?: unknown;
  /** For what is not JSON. */
  readonly text?: RegExp;
}

const form = 'application/x-www-form-urlencoded';
const json = 'application/json';
const low = (lowstate: unknown) => ({ path: '/', type: json, body: JSON.stringify(lowstate) });
const CLIENTS = [
  'local',
  'local_async',
  'local_batch',
  'local_subset',
  'runner',
  'runner_async',
  'ssh',
  'wheel',
  'wheel_async',
];
const PINGED = { a: true, b: true, c: true };
const LOGIN = { username: 'bob', password: 'builder', eauth: 'file' };
const LOGGED_IN = {
  return: [{ token: '<token>', start: '<number>', expire: '<number>', user: 'bob', eauth: 'file', perms: ['test.*', { 'a*': ['cmd.*'] }] }],
}; // prettier-ignore
const FULL = { ret: true, retcode: 0, jid: '<jid>' };

export const RECORDED: readonly Recorded[] = [
  { about: 'the welcome', path: '/', status: 200, returns: { return: 'Welcome', clients: CLIENTS } },
  { about: 'how to log in', path: '/login', status: 200, returns: { status: null, return: 'Please log in' } },
  { about: 'a login by form', path: '/login', type: form, body: 'username=bob&password=builder&eauth=file', status: 200, returns: LOGGED_IN },
  { about: 'a login by JSON', path: '/login', type: json, body: JSON.stringify(LOGIN), status: 200, returns: LOGGED_IN },
  { about: 'a login by JSON as text', path: '/login', type: 'text/plain;charset=UTF-8', body: JSON.stringify(LOGIN), status: 200, returns: LOGGED_IN },
  { about: 'a login by YAML', path: '/login', type: 'application/x-yaml', body: 'username: bob\npassword: builder\neauth: file\n', status: 200, returns: LOGGED_IN },
  { about: 'a login of a client whose address ends with a slash', path: '//login', type: form, body: 'username=bob&password=builder&eauth=file', status: 200, returns: LOGGED_IN },
  { about: 'a login of somebody without a rule', path: '/login', type: form, body: 'username=carol&password=sing&eauth=file', status: 200,
    returns: { return: [{ token: '<token>', start: '<number>', expire: '<number>', user: 'carol', eauth: 'file', perms: {} }] } },
  { about: 'a login with a wrong password', path: '/login', type: form, body: 'username=bob&password=x&eauth=file', status: 401, text: /401 Unauthorized/ },
  { about: 'a login of nobody', path: '/login', type: form, body: 'username=zoe&password=x&eauth=file', status: 401, text: /401 Unauthorized/ },
  { about: 'a login through a back end that is not there', path: '/login', type: form, body: 'username=bob&password=builder&eauth=pam', status: 401, text: /401/ },
  { about: 'a login without a password', path: '/login', type: form, body: 'username=bob&eauth=file', status: 401, text: /401/ },
  { about: 'a login without a body', path: '/login', type: form, body: '', status: 401, text: /401/ },
  { about: 'a token', path: '/token', type: json, body: JSON.stringify(LOGIN), status: 200,
    returns: [{ start: '<number>', expire: '<number>', name: 'bob', eauth: 'file', token: '<long token>' }] },
  { about: 'a token without a password', path: '/token', type: json, body: '{"username":"bob"}', status: 400, text: /400 Bad Request/ },
  { about: 'a token with a wrong password', path: '/token', type: json, body: JSON.stringify({ ...LOGIN, password: 'x' }), status: 401, text: /401/ },
  { about: 'a call with its own credentials', path: '/run', type: form, body: 'client=local&tgt=*&fun=test.ping&username=bob&password=builder&eauth=file', status: 200, returns: { return: [PINGED] } },
  { about: 'a call without any', path: '/run', type: form, body: 'client=local&tgt=*&fun=test.ping', status: 401, text: /No authentication credentials given/ },
  { about: 'a call of a client that is not there, without any', path: '/run', type: json, body: '{"client":"nobody","fun":"x"}', status: 400, text: /Invalid client specified: 'nobody'</ },
  { about: 'a call of a client that is not enabled, without any', path: '/run', type: json, body: '{"client":"wheel_async","fun":"x"}', status: 400, text: /netapi_enable_clients/ },
  { about: 'the same with a token that is none', path: '/run', type: json, body: '{"client":"nobody","fun":"x","token":"xyz"}', status: 401, text: /Invalid token/ },
  { about: 'a call with a token that is none', path: '/run', type: form, body: 'client=local&tgt=*&fun=test.ping&token=xyz', status: 401, text: /Invalid token/ },
  { about: 'local', as: 'bob', ...low({ client: 'local', tgt: '*', fun: 'test.ping' }), status: 200, returns: { return: [PINGED] } },
  { about: 'local as pepper sends it', as: 'bob', ...low([{ client: 'local', tgt_type: 'glob', tgt: '*', fun: 'test.ping', batch: null, arg: [], full_return: true, expr_form: 'glob' }]), status: 200, returns: { return: [{ a: FULL, b: FULL, c: FULL }] } },
  { about: 'local by form, with repeated arguments', as: 'bob', path: '/', type: form, body: 'client=local&tgt=a&fun=test.arg_type&arg=1&arg={x: 2}&arg=no', status: 200, returns: '<any>' },
  { about: 'local by form, with fields that were left empty', as: 'bob', path: '/', type: form, body: 'client=local&tgt=a&fun=test.arg&arg=&tgt_type=&timeout=&kwarg=&ret=&token=&batch=', status: 200, returns: { return: [{ a: { args: [], kwargs: '<any>' } }] } },
  { about: 'local with texts that stay texts', as: 'bob', ...low({ client: 'local', tgt: 'a', fun: 'test.echo', arg: ['2'] }), status: 200, returns: { return: [{ a: '2' }] } },
  { about: 'local with a keyword in a text', as: 'bob', ...low({ client: 'local', tgt: 'a', fun: 'test.echo', arg: ['text=2'] }), status: 200, returns: { return: [{ a: 2 }] } },
  { about: 'a number that is a jid: it becomes a text', as: 'bob', path: '/', type: json, body: '{"client":"local","tgt":"a","fun":"test.echo","arg":[20261123005056271607]}', status: 200, returns: { return: [{ a: '20261123005056271607' }] } },
  { about: 'the same within a list: it keeps its digits', as: 'bob', path: '/', type: json, body: '{"client":"local","tgt":"a","fun":"test.echo","arg":[[20261123005056271607]]}', status: 200, text: /"a": \[20261123005056271607\]/ },
  { about: 'a float without a fraction', as: 'bob', path: '/', type: json, body: '{"client":"local","tgt":"a","fun":"test.echo","arg":[1.0]}', status: 200, text: /"a": 1\.0\b/ },
  { about: 'local of several functions', as: 'bob', ...low({ client: 'local', tgt: 'a', fun: ['test.ping', 'test.echo'], arg: [[], ['hi']] }), status: 200, returns: { return: [{ a: { 'test.ping': true, 'test.echo': 'hi' } }] } },
  { about: 'local of a list of one function', as: 'bob', ...low({ client: 'local', tgt: 'a', fun: ['test.echo'], arg: [['hi']] }), status: 200, returns: { return: [{ a: { 'test.echo': 'hi' } }] } },
  { about: 'the same in full', as: 'bob', ...low({ client: 'local', tgt: 'a', fun: ['test.echo'], arg: [['hi']], full_return: true }), status: 200, returns: { return: [{ a: { ret: { 'test.echo': 'hi' }, retcode: 0, jid: '<jid>' } }] } },
  { about: 'the same in a batch', as: 'bob', ...low({ client: 'local_batch', tgt: 'a', fun: ['test.echo'], arg: [['hi']], batch: '1' }), status: 200, returns: { return: [{ a: { 'test.echo': 'hi' } }] } },
  { about: 'the same of a subset', as: 'bob', ...low({ client: 'local_subset', tgt: 'a', fun: ['test.echo'], arg: [['hi']], subset: 1 }), status: 200, returns: { return: [{ a: { 'test.echo': 'hi' } }] } },
  { about: 'local of nobody', as: 'bob', ...low({ client: 'local', tgt: 'zzz', fun: 'test.ping' }), status: 200, returns: { return: [{}] } },
  { about: 'local of a list of which nobody is there', as: 'bob', ...low({ client: 'local', tgt: ['zzz'], tgt_type: 'list', fun: 'test.ping' }), status: 200, returns: { return: [{}] } },
  { about: 'local of a listed minion that is not there', as: 'bob', ...low({ client: 'local', tgt: ['a', 'zzz'], tgt_type: 'list', fun: 'test.ping' }), status: 200, returns: { return: [{ a: true, zzz: '<no return>' }] } },
  { about: 'local of a list with empty parts', as: 'bob', ...low({ client: 'local', tgt: 'a,, ', tgt_type: 'list', fun: 'test.ping' }), status: 200, returns: { return: [{ a: true }] } },
  { about: 'the same, as a list', as: 'bob', ...low({ client: 'local', tgt: ['a', ''], tgt_type: 'list', fun: 'test.ping' }), status: 200, returns: { return: [{ a: true }] } },
  { about: 'local with all the time that there is', as: 'bob', ...low({ client: 'local', tgt: 'a', fun: 'test.ping', timeout: 86400 }), status: 200, returns: { return: [{ a: true }] } },
  { about: 'an unknown function', as: 'alice', ...low({ client: 'local', tgt: 'a', fun: 'x.y', full_return: true }), status: 200, returns: { return: [{ a: { ret: "'x.y' is not available.", retcode: 1, jid: '<jid>', out: 'nested' } }] } },
  { about: 'two lowstates', as: 'bob', ...low([{ client: 'local', tgt: 'a', fun: 'test.ping' }, { client: 'local', tgt: 'b', fun: 'test.ping' }]), status: 200, returns: { return: [{ a: true }, { b: true }] } },
  { about: 'a grain whose levels another character divides', as: 'bob', ...low({ client: 'local', tgt: 'kernel/*', tgt_type: 'grain', delimiter: '/', fun: 'test.ping' }), status: 200, returns: { return: [PINGED] } },
  { about: 'the same in batches', as: 'bob', ...low({ client: 'local_batch', tgt: 'kernel/*', tgt_type: 'grain', delimiter: '/', fun: 'test.ping', batch: '100%' }), status: 200, returns: { return: ['<any>', '<any>', '<any>'] } },
  { about: 'the same of a few', as: 'bob', ...low({ client: 'local_subset', tgt: 'kernel/*', tgt_type: 'grain', delimiter: '/', fun: 'test.ping', subset: 3 }), status: 200, returns: { return: [PINGED] } },
  { about: 'a delimiter that is too long', as: 'bob', ...low({ client: 'local', tgt: '*', delimiter: ':'.repeat(17), fun: 'test.ping' }), status: 400, text: /a delimiter has 1 to 16 characters/ },
  { about: 'local_async', as: 'bob', ...low({ client: 'local_async', tgt: 'a', fun: 'test.ping' }), status: 200, returns: { return: [{ jid: '<jid>', minions: ['a'] }] } },
  { about: 'local_async of nobody', as: 'bob', ...low({ client: 'local_async', tgt: 'zzz', fun: 'test.ping' }), status: 200, returns: { return: [{}] } },
  { about: 'local_batch', as: 'bob', ...low({ client: 'local_batch', tgt: 'a', fun: 'test.ping', batch: '50%' }), status: 200, returns: { return: [{ a: true }] } },
  { about: 'local_batch, the share in front', as: 'bob', ...low({ client: 'local_batch', tgt: '*', fun: 'test.ping', batch: '%100' }), status: 200, returns: { return: ['<any>', '<any>', '<any>'] } },
  { about: 'local_batch that stops where one fails', as: 'bob', ...low({ client: 'local_batch', tgt: '*', fun: 'test.nosuch', batch: 1, failhard: true }), status: 200, returns: { return: ['<any>'] } },
  { about: 'local_batch with a pause', as: 'bob', ...low({ client: 'local_batch', tgt: 'L@a,b', tgt_type: 'compound', fun: 'test.ping', batch: 1, batch_wait: 0.1 }), status: 200, returns: { return: ['<any>', '<any>'] } },
  { about: 'a batch of nobody, behind another lowstate', as: 'bob', ...low([{ client: 'local', tgt: 'a', fun: 'test.ping' }, { client: 'local_batch', tgt: 'a', fun: 'test.ping', batch: '0' }]), status: 400, text: /3, 10% or %10/ },
  { about: 'a lowstate that is refused, behind another', as: 'bob', ...low([{ client: 'local', tgt: 'a', fun: 'test.ping' }, { client: 'local', tgt: 'b', fun: 'cmd.run' }]), status: 401, text: /jid \d{20}\..*may not run/ },
  { about: 'local_subset', as: 'bob', ...low({ client: 'local_subset', tgt: 'b', fun: 'test.ping', subset: 1 }), status: 200, returns: { return: [{ b: true }] } },
  { about: 'local_subset of those that have a function: nobody has it', as: 'alice', ...low({ client: 'local_subset', tgt: '*', fun: 'x.y', subset: 1 }), status: 200, returns: { return: [{}] } },
  { about: 'local_subset of those that have a function', as: 'alice', ...low({ client: 'local_subset', tgt: '*', fun: 'test.ping', subset: 3 }), status: 200, returns: { return: [PINGED] } },
  { about: 'runner', as: 'alice', ...low({ client: 'runner', fun: 'manage.up' }), status: 200, returns: { return: [['a', 'b', 'c']] } },
  { about: 'runner in full', as: 'alice', ...low({ client: 'runner', fun: 'manage.up', full_return: true }), status: 200,
    returns: { return: [{ tag: '<any>', data: { fun: 'runner.manage.up', jid: '<jid>', user: 'alice', fun_args: [], _stamp: '<any>', return: ['a', 'b', 'c'], success: true } }] } },
  { about: 'a runner with texts that are read as on the command line', as: 'alice', ...low({ client: 'runner', fun: 'test.arg', arg: ['2', '[a]', 'k=2'] }), status: 200, returns: { return: [{ args: [2, ['a']], kwargs: { k: 2 } }] } },
  { about: 'a runner with a keyword that it does not know', as: 'alice', ...low({ client: 'runner', fun: 'manage.up', bogus: 1 }), status: 200, returns: { return: [['a', 'b', 'c']] } },
  { about: 'a runner with an empty list of keywords', as: 'alice', ...low({ client: 'runner', fun: 'manage.up', kwarg: [] }), status: 200, returns: { return: [['a', 'b', 'c']] } },
  { about: 'a runner with a list of keywords', as: 'alice', ...low({ client: 'runner', fun: 'manage.up', kwarg: ['x'] }), status: 400, text: /kwarg is a mapping/ },
  { about: 'a jid that is none', as: 'alice', ...low({ client: 'runner', fun: 'jobs.lookup_jid', jid: 'a+b' }), status: 200, returns: { return: [{}] } },
  { about: 'a runner that is not done in its time', as: 'alice', ...low({ client: 'runner', fun: 'test.sleep', arg: [30], timeout: 1 }), status: 504, text: /jid \d{20}\..*within its timeout of 1 s, and was ended/ },
  { about: 'runner_async', as: 'alice', ...low({ client: 'runner_async', fun: 'manage.up' }), status: 200, returns: { return: [{ tag: '<any>', jid: '<jid>' }] } },
  { about: 'runner_async of one that is not there: its event says so', as: 'alice', ...low({ client: 'runner_async', fun: 'no.such' }), status: 200, returns: { return: [{ tag: '<any>', jid: '<jid>' }] } },
  { about: 'a runner that is not there', as: 'alice', ...low({ client: 'runner', fun: 'no.such' }), status: 500, returns: { status: 500, return: '<any>' } },
  { about: 'wheel', as: 'alice', ...low({ client: 'wheel', fun: 'key.list_all' }), status: 200,
    returns: { return: [{ tag: '<any>', data: { fun: 'wheel.key.list_all', jid: '<jid>', user: 'alice', fun_args: [], _stamp: '<any>', tag: '<any>', success: true,
      return: { minions: ['a', 'b', 'c'], minions_pre: [], minions_rejected: [], minions_denied: [], local: ['master.pub'] } } }] } },
  { about: 'the wheel with a keyword that it does not know', as: 'alice', ...low({ client: 'wheel', fun: 'key.list_all', bogus: 1 }), status: 200, text: /keyword arguments are not valid: bogus=1[^]*"success": false/ },
  { about: 'a client that is not enabled', as: 'alice', ...low({ client: 'wheel_async', fun: 'key.list_all' }), status: 400, text: /netapi_enable_clients/ },
  { about: 'a client that is not there', as: 'alice', ...low({ client: 'nobody', fun: 'x' }), status: 400, text: /Invalid client specified: 'nobody'</ },
  { about: 'a lowstate without a function', as: 'alice', ...low({ client: 'local', tgt: '*' }), status: 400, text: /fun/ },
  { about: 'no lowstate', as: 'alice', path: '/', method: 'POST', status: 400, text: /Lowstates must be a list/ },
  { about: 'a lowstate that is no JSON', as: 'alice', path: '/', type: json, body: '{', status: 400, text: /Invalid JSON/ },
  { about: 'a form that is not UTF-8', as: 'alice', path: '/', type: form, body: 'client=local&tgt=a&fun=cmd.run&arg=rm+caf%E9', status: 400, text: /not UTF-8/ },
  { about: 'a body of an unknown type', as: 'alice', path: '/', type: 'text/csv', body: 'a,b', status: 406, text: /406 Not Acceptable/ },
  { about: 'an answer of an unknown type', path: '/', accept: 'text/csv', status: 406, text: /406/ },
  { about: 'an answer in YAML', as: 'bob', ...low({ client: 'local', tgt: 'a', fun: 'test.ping' }), accept: 'application/x-yaml', status: 200, text: /^return:\n- a: true\n$/ },
  { about: 'an answer in JSON, with a character set', path: '/login', accept: 'application/json; charset=utf-8', status: 200, returns: { status: null, return: 'Please log in' } },
  { about: 'an answer of the type that weighs most, whatever else is said of it', path: '/login', accept: 'application/json;indent=4;q=0.5, application/x-yaml; charset=utf-8', status: 200, text: /^return: Please log in\n/ },
  { about: 'a login for longer than a number can say', path: '/login', type: form, body: 'username=bob&password=builder&eauth=file&token_expire=1e18', status: 200, returns: '<any>' },
  { about: 'what is no lowstate, with a token that has ended', path: '/', type: json, headers: { 'X-Auth-Token': 'a'.repeat(40) }, body: '{', status: 401, text: /401/ },
  { about: 'a client that is not there, with a token that has ended', ...low({ client: 'nobody', fun: 'x' }), headers: { 'X-Auth-Token': 'a'.repeat(40) }, status: 401, text: /401/ },
  { about: 'a call without a session', ...low({ client: 'local', tgt: '*', fun: 'test.ping' }), status: 401, text: /401/ },
  { about: 'the grains of a minion', as: 'alice', path: '/minions/a', status: 200, returns: { return: [{ a: '<any>' }] } },
  { about: 'the grains of all', as: 'alice', path: '/minions/', status: 200, returns: { return: [{ a: '<any>', b: '<any>', c: '<any>' }] } },
  { about: 'the grains of a minion that the query names', as: 'alice', path: '/minions?mid=a', status: 200, returns: { return: [{ a: '<any>' }] } },
  { about: 'the grains of a minion that the path names', as: 'alice', path: '/minions/b?mid=a', status: 200, returns: { return: [{ b: '<any>' }] } },
  { about: 'the grains of all, with an empty query', as: 'alice', path: '/minions?mid=', status: 200, returns: { return: [{ a: '<any>', b: '<any>', c: '<any>' }] } },
  { about: 'the grains of two that the query names', as: 'alice', path: '/minions?mid=a&mid=b', status: 400, text: /mid is said once/ },
  { about: 'a job begun at /minions', as: 'bob', path: '/minions', type: form, body: 'tgt=a&fun=test.ping', status: 202, returns: { return: [{ jid: '<jid>', minions: ['a'] }], _links: { jobs: [{ href: '<any>' }] } } },
  { about: 'the orchestrations: there are none', as: 'alice', ...low({ client: 'runner', fun: 'state.orchestrate_show_sls', arg: ['*'] }), status: 200, returns: { return: [{}] } },
  { about: 'the wheel with a target that it has no use for', as: 'alice', ...low({ client: 'wheel', fun: 'minions.connected', match: '*' }), status: 200, text: /"return": \["a", "b", "c"\][^]*"success": true/ },
  { about: 'the jobs', as: 'alice', path: '/jobs', status: 200, returns: { return: ['<any>'] } },
  { about: 'an unknown job', as: 'alice', path: '/jobs/20200101000000000000', status: 200, returns: { info: ['<any>'], return: [{}] } },
  { about: 'an unknown job that the query names', as: 'alice', path: '/jobs/?jid=20200101000000000000', status: 200, returns: { info: ['<any>'], return: [{}] } },
  { about: 'the keys', as: 'alice', path: '/keys', status: 200, returns: { return: { minions: ['a', 'b', 'c'], minions_pre: [], minions_rejected: [], minions_denied: [], local: ['master.pub'] } } },
  { about: 'one key', as: 'alice', path: '/keys/a', status: 200, returns: { return: { minions: { a: '<any>' } } } },
  { about: 'one key that the query names', as: 'alice', path: '/keys?mid=a', status: 200, returns: { return: { minions: { a: '<any>' } } } },
  { about: 'an unknown key', as: 'alice', path: '/keys/zzz', status: 200, returns: { return: {} } },
  { about: 'a key made here', as: 'alice', path: '/keys', type: form, body: 'mid=x', status: 501, text: /501/ },
  { about: 'the counts', as: 'bob', path: '/stats', status: 200, returns: '<any>' },
  { about: 'the counts without a session', path: '/stats', status: 401, text: /401/ },
  { about: 'events without a session', path: '/events', status: 401, text: /401/ },
  { about: 'a hook', as: 'bob', path: '/hook/deploy/done', type: json, body: '{"ok":1}', status: 200, returns: { success: true } },
  { about: 'a hook whose name holds a blank', as: 'bob', path: '/hook/My%20Project', type: json, body: '{}', status: 200, returns: { success: true } },
  { about: 'a hook whose name holds what no tag does', as: 'bob', path: '/hook/a%0Ab', type: json, body: '{}', status: 400, text: /400/ },
  { about: 'a hook without a session', path: '/hook/deploy', type: json, body: '{}', status: 401, text: /401/ },
  { about: 'a page of one’s own', path: '/jobs', accept: 'text/html,*/*;q=0.8', status: 200, text: /a page of one’s own/ },
  { about: 'a page of one’s own, with a character set', path: '/jobs', accept: 'text/html;charset=utf-8', status: 200, text: /a page of one’s own/ },
  { about: 'the same at its path', path: '/app/minions', status: 200, text: /a page of one’s own/ },
  { about: 'a file of it', path: '/static/app.js', status: 200, text: /export/ },
  { about: 'a file that is not there', path: '/static/none.js', status: 404, text: /404 Not Found/ },
  { about: 'a file from outside', path: '/static/..%2f..%2f..%2fetc/passwd', status: 404, text: /404 Not Found/ },
  { about: 'the description', path: '/openapi.json', status: 200, returns: '<any>' },
  { about: 'the description for people', path: '/openapi', status: 200, text: /<h1>Natrium HTTP API/ },
  { about: 'the built-in page', path: '/ui', accept: 'text/html', status: 200, text: /<title>Natrium<\/title>/ },
  { about: 'that one may', as: 'bob', path: '/ui/can-i', type: form, body: 'fun=test.ping&tgt=a', status: 200, returns: { allowed: true, rule: 'external_auth › file › bob › 0', minions: ['a'], missing: [] } },
  { about: 'that one may not', as: 'bob', path: '/ui/can-i', type: form, body: 'fun=cmd.run&tgt=b', status: 200, returns: { allowed: false, code: 'not_permitted', sentence: '<any>' } },
  { about: 'whether one may, without a session', path: '/ui/can-i', type: form, body: 'fun=test.ping&tgt=a', status: 401, text: /401/ },
  { about: 'a path that is not there', path: '/x', status: 404, text: /The path '\/x' was not found/ },
  { about: 'a method that is none', method: 'DELETE', path: '/login', status: 405, text: /405 Method Not Allowed/ },
]; // prettier-ignore
