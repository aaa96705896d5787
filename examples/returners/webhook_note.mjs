/**
 * A returner of your own in JavaScript: put it into a folder of `returner_dirs` on a minion, then
 * `natrium '*' test.ping --return=webhook_note`. It sends each failed return to the URL in NOTE_URL below.
 *
 * @type {import('../modules/natrium-module').OwnModule}
 */
const NOTE_URL = 'http://127.0.0.1:8080/failed';

export default {
  name: 'webhook_note',
  functions: {
    returner: {
      doc: 'Tells a web server of each return that failed.',
      params: [{ name: 'ret', type: 'map' }],
      timeout: 10,
      async run({ ret }) {
        if (ret.success) return;
        const body = JSON.stringify({ id: ret.id, jid: ret.jid, fun: ret.fun, retcode: ret.retcode });
        await fetch(NOTE_URL, { method: 'POST', body });
      },
    },
  },
};
