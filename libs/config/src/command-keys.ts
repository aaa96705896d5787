/** What `natrium` shows where its command line says nothing, with Salt's names and defaults. */
import * as z from 'zod/mini';
import { keyDocs } from './key-doc.js';

const group = 'Commands';

export const commandKeys = {
  cli_summary: z._default(z.boolean(), false).register(keyDocs, {
    group,
    doc: 'End with a count of who returned, as with `--summary`',
    takes: 'yes or no',
  }),
  show_jid: z._default(z.boolean(), false).register(keyDocs, {
    group,
    doc: 'Print the jid, as with `--show-jid`',
    takes: 'yes or no',
  }),
  show_timeout: z._default(z.boolean(), true).register(keyDocs, {
    group,
    doc: 'Show minions that did not return; with no it is as with `--hide-timeout`, and `--show-timeout` shows them',
    takes: 'yes or no',
  }),
};
