/** What `natrium` shows where its command line says nothing, with Salt's names and defaults. */
import * as z from 'zod/mini';
import { keyDocs, whole } from './key-doc.js';

const group = 'Commands';

/** As `--batch` takes it, which reads it again. */
const BATCH_SIZE = /^(?=.*[1-9])(?:\d{1,7}|%\d{1,7}(?:\.\d{1,6})?|\d{1,7}(?:\.\d{1,6})?%)$/;

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
  batch_safe_limit: z._default(whole(-1, 1_000_000), 0).register(keyDocs, {
    group,
    doc: 'Run in batches when at least so many minions match, as with `--batch-safe-limit`; never below 2',
    takes: 'a number, -1 to 1000000',
  }),
  batch_safe_size: z
    ._default(
      z.pipe(
        z.transform((value) => (typeof value === 'number' ? String(value) : value)),
        z.string().check(z.regex(BATCH_SIZE)),
      ),
      '8',
    )
    .register(keyDocs, {
      group,
      doc: 'How many at a time then, as with `--batch-safe-size`',
      takes: 'a number as 8, or a share as 25%',
    }),
};
