/** Job ids as Salt writes them: 20 digits, UTC `YYYYMMDDhhmmssffffff`. */
declare const brand: unique symbol;
export type Jid = string & { readonly [brand]: 'Jid' };

export function parseJid(text: unknown): Jid | undefined {
  return typeof text === 'string' && /^\d{20}$/.test(text) ? (text as Jid) : undefined;
}

/** @param micros Microseconds since 1970, a safe integer. */
export function jidOf(micros: number): Jid {
  const iso = new Date(Math.floor(micros / 1000)).toISOString();
  const seconds = iso.slice(0, 19).replace(/\D/g, '');
  return `${seconds}${String(micros % 1_000_000).padStart(6, '0')}` as Jid;
}

/** Salt's text of the start time in a jid: `2026, Nov 20 11:24:04.639750`. */
export function startTimeOf(jid: Jid): string {
  const month = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][
    Number(jid.slice(4, 6)) - 1
  ];
  const time = `${jid.slice(8, 10)}:${jid.slice(10, 12)}:${jid.slice(12, 14)}.${jid.slice(14)}`;
  return `${jid.slice(0, 4)}, ${month ?? '???'} ${jid.slice(6, 8)} ${time}`;
}

/** The time in a jid, in milliseconds since 1970; NaN where its digits are no time. */
export function jidTime(jid: Jid): number {
  const [date, hour, minute, second] = [jid.slice(0, 8), jid.slice(8, 10), jid.slice(10, 12), jid.slice(12, 14)];
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  return Date.parse(`${day}T${hour}:${minute}:${second}.${jid.slice(14, 17)}Z`);
}
