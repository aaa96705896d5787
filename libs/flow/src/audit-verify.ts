/**
 * Verifies the audit: each chain's records follow from one another, none is missing, and nothing that survives elsewhere (a
 * grant, a signed head, the heads in another chain's first record) names a record that is not there. Where a beginning was
 * archived, a signed cut names the last record that is gone, and the next one has to follow from just that.
 *
 * Records come in the order in which they are kept. Hashes are hexadecimal and made by who read the bytes.
 *
 * Spec: spec/envelope.md#audit, docs/audit.md.
 */
export interface ChainHead {
  readonly chain: string;
  readonly number: number;
  readonly hash: string;
}

export interface SeenRecord extends ChainHead {
  readonly previous: string;
  /** Of the other chains, in a chain's first record. */
  readonly heads: readonly ChainHead[];
  readonly digest: string | null;
  readonly jid: string | null;
  readonly verdict: string;
}

/** A head that survived, and where. */
export interface SeenHead extends ChainHead {
  readonly source: string;
}

/** A grant that survived: it names the record of its decision. */
export interface SeenGrant {
  readonly chain: string;
  readonly number: number;
  readonly digest: string;
  readonly jid: string;
}

/** A record that is there, and too large to be handed out. */
export interface UnreadRecord {
  readonly chain: string;
  readonly number: number;
  readonly bytes: number;
}

export type FindingKind = 'edited' | 'missing' | 'reordered' | 'duplicate' | 'cut' | 'unread';

export interface Finding {
  readonly kind: FindingKind;
  readonly chain: string;
  readonly number: number;
  readonly sentence: string;
}

export interface AuditSeen {
  readonly records: readonly SeenRecord[];
  readonly unread: readonly UnreadRecord[];
  readonly heads: readonly SeenHead[];
  readonly grants: readonly SeenGrant[];
  /** The last archived record of each chain that begins behind one: what is still there up to it is on its way out, and not looked at. */
  readonly cut: readonly ChainHead[];
  /** Of an archive: the last record of each chain in it; what comes after that stayed in the cluster. */
  readonly until?: readonly ChainHead[] | undefined;
}

const FIRST = '0'.repeat(64);

export function verifyAudit(seen: AuditSeen): readonly Finding[] {
  const { cut: begins, until } = seen;
  const isKept = isAfter(begins);
  const records = seen.records.filter(isKept);
  const chains = byChain(records, seen.unread.filter(isKept), begins);
  const named = records.flatMap(({ chain, heads: ends }) =>
    ends.map((end) => ({ ...end, source: `the first record of chain ${chain}` })),
  );
  const ends = (until ?? []).map((end) => ({ ...end, source: 'the signed end of this archive' }));
  const isBeyond = until === undefined ? () => false : isAfter(until);
  const isDue = (place: ChainPlace) => isKept(place) && !isBeyond(place);
  return [
    ...[...chains.values()].flatMap(checkChain),
    ...(until === undefined ? [...chains.values()].flatMap(checkEnd) : []),
    ...checkHeads(chains, [...seen.heads, ...named, ...ends].filter(isDue)),
    ...checkGrants(chains, seen.grants.filter(isDue)),
  ];
}

type ChainPlace = Pick<ChainHead, 'chain' | 'number'>;

/** Which records come behind the ones that these ends name; of a chain that none names all do. */
export function isAfter(ends: readonly ChainHead[]): (place: ChainPlace) => boolean {
  const numbers = new Map(ends.map(({ chain, number }) => [chain, number]));
  return ({ chain, number }) => number > (numbers.get(chain) ?? -1);
}

/** One chain: its records as they are kept, by number, and its last number. */
interface Chain {
  readonly name: string;
  readonly kept: readonly SeenRecord[];
  readonly byNumber: ReadonlyMap<number, SeenRecord>;
  /** Bytes of those that were not handed out, by number. */
  readonly unread: ReadonlyMap<number, number>;
  /** The archived record that the first one follows from. */
  readonly cut: ChainHead | undefined;
  readonly last: number;
}

function byChain(
  records: readonly SeenRecord[],
  unread: readonly UnreadRecord[],
  cut: readonly ChainHead[],
): ReadonlyMap<string, Chain> {
  const kept = new Map<string, SeenRecord[]>([...unread, ...cut].map(({ chain }) => [chain, []]));
  for (const record of records) {
    const list = kept.get(record.chain);
    if (list === undefined) kept.set(record.chain, [record]);
    else list.push(record);
  }
  const chains = Array.from(kept, ([name, list]) => {
    const sizes = unread.filter(({ chain }) => chain === name).map(({ number, bytes }) => [number, bytes] as const);
    const begin = cut.find(({ chain }) => chain === name);
    return [name, chainOf({ name, kept: list, unread: new Map(sizes), cut: begin })] as const;
  });
  return new Map(chains);
}

function chainOf({ name, kept, unread, cut: begin }: Omit<Chain, 'byNumber' | 'last'>): Chain {
  const byNumber = new Map<number, SeenRecord>();
  let last = begin?.number ?? -1;
  for (const number of unread.keys()) last = Math.max(last, number);
  for (const record of kept) {
    if (!byNumber.has(record.number)) byNumber.set(record.number, record);
    last = Math.max(last, record.number);
  }
  return { name, kept, byNumber, unread, cut: begin, last };
}

function checkChain(chain: Chain): readonly Finding[] {
  return [...checkOrder(chain), ...checkLinks(chain)];
}

function checkOrder({ name, kept }: Chain): readonly Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<number>();
  let highest = -1;
  for (const { number } of kept) {
    if (seen.has(number)) findings.push(finding('duplicate', name, number, 'is there more than once'));
    else if (number < highest) findings.push(finding('reordered', name, number, `is kept after record ${highest}`));
    seen.add(number);
    highest = Math.max(highest, number);
  }
  return findings;
}

/** The last records of a chain are never archived. */
function checkEnd({ name, cut: begin, last }: Chain): readonly Finding[] {
  if (begin === undefined || last > begin.number) return [];
  return [finding('cut', name, last + 1, 'and all after it was cut off: an archive leaves the end of each chain')];
}

function checkLinks({ name, byNumber, unread, cut: begin }: Chain): readonly Finding[] {
  const findings: Finding[] = [];
  let next = (begin?.number ?? -1) + 1;
  /** undefined after a record that nobody has read. */
  let hash: string | undefined = begin?.hash ?? FIRST;
  const numbers = [...new Set([...byNumber.keys(), ...unread.keys()])].sort((a, b) => a - b);
  for (const number of numbers) {
    const record = byNumber.get(number);
    if (number > next) findings.push(missing(name, next, number - 1));
    else if (record !== undefined && hash !== undefined && record.previous !== hash)
      findings.push(number - 1 === begin?.number ? brokenCut(name, number) : brokenLink(name, number));
    if (record === undefined) findings.push(notRead(name, number, unread.get(number) ?? 0));
    next = number + 1;
    hash = record?.hash;
  }
  return findings;
}

function notRead(chain: string, number: number, bytes: number): Finding {
  return finding('unread', chain, number, `is too large to be handed out (${bytes} bytes): it could not be verified`);
}

function brokenLink(chain: string, number: number): Finding {
  if (number === 0) return finding('edited', chain, 0, 'was edited: a chain’s first record names no record before it');
  return finding('edited', chain, number - 1, `was edited: record ${number} names another hash of it`);
}

function brokenCut(chain: string, number: number): Finding {
  const sentence = `was edited: it does not follow from record ${number - 1}, up to which the chain was archived`;
  return finding('edited', chain, number, sentence);
}

function missing(chain: string, from: number, to: number): Finding {
  const sentence = from === to ? 'is missing' : `and all up to record ${to} are missing`;
  return finding('missing', chain, from, sentence);
}

function checkHeads(chains: ReadonlyMap<string, Chain>, heads: readonly SeenHead[]): readonly Finding[] {
  const findings: Finding[] = [];
  const furthest = new Map<string, SeenHead>();
  for (const head of heads) {
    const record = chains.get(head.chain)?.byNumber.get(head.number);
    if (head.number > (chains.get(head.chain)?.last ?? -1)) {
      if (head.number > (furthest.get(head.chain)?.number ?? -1)) furthest.set(head.chain, head);
    } else if (record !== undefined && record.hash !== head.hash) {
      findings.push(finding('edited', head.chain, head.number, `was edited: ${head.source} names another hash of it`));
    }
  }
  return [...findings, ...Array.from(furthest.values(), (head) => cut(chains, head, head.source))];
}

function checkGrants(chains: ReadonlyMap<string, Chain>, grants: readonly SeenGrant[]): readonly Finding[] {
  const findings: Finding[] = [];
  const furthest = new Map<string, SeenGrant>();
  for (const grant of grants) {
    const chain = chains.get(grant.chain);
    const record = chain?.byNumber.get(grant.number);
    if (grant.number > (chain?.last ?? -1)) {
      if (grant.number > (furthest.get(grant.chain)?.number ?? -1)) furthest.set(grant.chain, grant);
    } else if (record !== undefined && !isRecordOf(record, grant)) {
      const sentence = `was edited: it is not the record of the grant for job ${grant.jid}, which names it`;
      findings.push(finding('edited', grant.chain, grant.number, sentence));
    }
  }
  return [
    ...findings,
    ...Array.from(furthest.values(), (grant) => cut(chains, grant, `the grant for job ${grant.jid}`)),
  ];
}

function isRecordOf({ digest, jid, verdict }: SeenRecord, grant: SeenGrant): boolean {
  return verdict === 'allow' && digest === grant.digest && jid === grant.jid;
}

function cut(
  chains: ReadonlyMap<string, Chain>,
  { chain, number }: { readonly chain: string; readonly number: number },
  source: string,
): Finding {
  const from = (chains.get(chain)?.last ?? -1) + 1;
  const what = from === 0 ? 'and the whole chain with it' : 'and all after it';
  return finding('cut', chain, from, `${what} was cut off: ${source} names record ${number}`);
}

function finding(kind: FindingKind, chain: string, number: number, what: string): Finding {
  return { kind, chain, number, sentence: `chain ${chain}, record ${number}: ${what}` };
}
