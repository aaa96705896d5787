/** The rows that events become: each one of `salt_events`, a new job also one of `jids`, a return also one of `salt_returns`. */
import { type Heard, jsonText } from '@natrium/events';
import { isList, type Value, type ValueMap } from '@natrium/model';

const NEW = /^salt\/job\/(\d{20})\/new$/;
const RETURN = /^salt\/job\/(\d{20})\/ret\/([^/]+)$/;

/** Lists of rows, as JSON that PostgreSQL takes. */
export interface Rows {
  readonly events: string;
  readonly jids: string | undefined;
  readonly returns: string | undefined;
}

export function rowsOf(events: readonly Heard[]): Rows {
  const jids = events.flatMap(({ tag, data }) => {
    const [, jid] = NEW.exec(tag) ?? [];
    return jid === undefined ? [] : [{ jid, load: data }];
  });
  const returns = events.flatMap((event) => {
    const [, jid, minion] = RETURN.exec(event.tag) ?? [];
    return jid === undefined || minion === undefined ? [] : [returnRow(event, jid, minion)];
  });
  return {
    events: json(events.map(eventRow)),
    jids: jids.length === 0 ? undefined : json(jids),
    returns: returns.length === 0 ? undefined : json(returns),
  };
}

/** With `_stamp` in the data, as Salt's own events have it. */
function eventRow({ tag, data, stamp, id, origin }: Heard): ValueMap {
  return { tag, data: { ...data, _stamp: stamp }, stamp: `${stamp}Z`, id, origin: { ...origin } };
}

function returnRow({ data, stamp, id }: Heard, jid: string, minion: string): ValueMap {
  const { fun = '', return: value = null, success } = data;
  const funs = (isList(fun) ? fun : [fun]).filter((one) => typeof one === 'string');
  return {
    ...{ fun: funs.join(','), jid, minion, return: value, success: String(success === true) },
    ...{ full_ret: data, stamp: `${stamp}Z`, id },
  };
}

/** PostgreSQL's text holds neither NUL nor half of a surrogate pair, which a command's output may. */
function json(rows: Value): string {
  return jsonText(rows).replaceAll(/\\(u0000|ud[89a-f][0-9a-f]{2}|[^])/g, (all, after: string) =>
    after.length > 1 ? '\\ufffd' : all,
  );
}
