/**
 * What a module of your own exports: `export default` (or `export const module`) of an `OwnModule`.
 *
 * In JavaScript: `/** @type {import('./natrium-module').OwnModule} *\/` before it, and an editor checks it.
 * How to write one: docs/modules.md.
 */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

export type Param =
  | {
      readonly name: string;
      /** `any` unless given. */
      readonly type?: 'str' | 'int' | 'number' | 'bool' | 'list' | 'map' | 'any';
      /** A parameter without a default must be given. */
      readonly default?: Value;
      /** Given by name only. */
      readonly keyword?: true;
      readonly doc?: string;
    }
  | { readonly rest: string; readonly doc?: string }
  | { readonly kwargs: string; readonly doc?: string };

export interface Context {
  /** The minion's id; absent for a runner. */
  readonly id?: string;
  readonly jid: string;
  readonly grains?: { readonly [key: string]: Value };
  readonly pillar?: { readonly [key: string]: Value };
  /** The minion's configuration, without secrets. */
  readonly config?: { readonly [key: string]: Value };
  /** Who asked; null when the host's own administrator did. */
  readonly caller: { readonly kind: string; readonly name: string } | null;
  readonly job?: { readonly tgt: Value; readonly tgt_type: string; readonly ret: string } | null;
}

export interface OwnFunction {
  /** What it does, in the first sentence. */
  readonly doc: string;
  readonly params?: readonly Param[];
  readonly returns?: string;
  /** Without the program's name: `greet.hello world`. */
  readonly examples?: readonly string[];
  /** Seconds that one call may take, at most 3600; `module_timeout` unless given. */
  readonly timeout?: number;
  /**
   * Throw an error whose `name` is `InvocationError` (what was asked makes no sense) or `ExecutionError` (it did not work
   * out) to say so in one sentence; anything else counts as a defect.
   */
  readonly run: (args: any, context: Context) => Value | void | Promise<Value | void>;
}

export interface OwnModule {
  /** The file's name without its ending, where it is given. */
  readonly name?: string;
  readonly functions: { readonly [name: string]: OwnFunction };
}
