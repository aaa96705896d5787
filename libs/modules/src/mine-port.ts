/** What the `mine` module needs of the agent: a way to run functions, and one to the master's mine. */
import type { Refusal, Value } from '@natrium/model';
import type { BaseContext } from './loader/registry.js';
import type { Outcome } from './loader/reply.js';

export interface MineItem {
  readonly name: string;
  readonly value: Value;
  readonly allowTgt: string;
  readonly allowTgtType: string;
}

export interface MineRead {
  readonly names: readonly string[];
  readonly tgt: Value;
  readonly tgtType: string;
}

export type MineAnswer =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Refusal };

export interface MineCall extends BaseContext {
  readonly jid: string;
}

export interface MinePort {
  /** `mine_functions` of the configuration and of the pillar; the former win. */
  functions(): Value;
  /** As part of a call: what ends that ends it too. */
  run(fun: string, args: readonly Value[], call: MineCall): Promise<Outcome>;
  /** @param replace Everything else is taken away. */
  keep(items: readonly MineItem[], replace: boolean): Promise<MineAnswer>;
  drop(names: readonly string[]): Promise<MineAnswer>;
  /** A map by name, then by minion; what may not be read is not there. */
  read(wanted: MineRead): Promise<MineAnswer>;
}
