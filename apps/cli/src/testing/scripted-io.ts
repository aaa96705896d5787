/** A terminal in memory: what was printed, what the operator answers, when they press Ctrl-C, and a clock set by hand. */
import type { EndSignal, Io } from '../ports.js';

export interface ScriptedIoOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly answers?: readonly string[];
  readonly input?: string;
}

export class ScriptedIo implements Io {
  readonly outIsTty: boolean;
  readonly errIsTty: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string>>;
  readonly runtime = 'Test';
  readonly asked: string[] = [];
  readonly files = new Map<string, string>();
  stdout = '';
  stderr = '';
  /** Every wait, in milliseconds. */
  readonly waits: number[] = [];
  /** What the token file holds. */
  token: string | undefined;
  hidden = 0;
  readonly #answers: string[];
  readonly #input: string;
  readonly #interrupts = new Set<() => void>();
  readonly #ends = new Set<(signal: EndSignal) => void>();
  readonly #ticks = new Set<() => void>();
  #now = 0;

  constructor({ tty = false, columns = 80, env = {}, answers = [], input = '' }: ScriptedIoOptions = {}) {
    this.outIsTty = tty;
    this.errIsTty = tty;
    this.columns = columns;
    this.env = env;
    this.#answers = [...answers];
    this.#input = input;
  }

  out(text: string): void {
    this.stdout += text;
  }

  err(text: string): void {
    this.stderr += text;
  }

  onInterrupt(callback: () => void): () => void {
    this.#interrupts.add(callback);
    return () => void this.#interrupts.delete(callback);
  }

  onEnd(callback: (signal: EndSignal) => void): () => void {
    this.#ends.add(callback);
    return () => void this.#ends.delete(callback);
  }

  ask(question: string): Promise<string | undefined> {
    this.asked.push(question);
    return Promise.resolve(this.#answers.shift());
  }

  prompt(question: string): Promise<string | undefined> {
    return this.ask(question);
  }

  hideArguments(): void {
    this.hidden += 1;
  }

  readonly tokenFile = {
    path: '~/.natrium_token',
    read: () => this.token,
    write: (token: string) => {
      this.token = token;
    },
  };

  input(): Promise<string> {
    return Promise.resolve(this.#input);
  }

  wait(ms: number): Promise<void> {
    this.waits.push(ms);
    this.pass(ms);
    return Promise.resolve();
  }

  random(): number {
    return 0.5;
  }

  now(): number {
    return this.#now;
  }

  every(_ms: number, callback: () => void): () => void {
    this.#ticks.add(callback);
    return () => void this.#ticks.delete(callback);
  }

  openFile(path: string, append: boolean): (text: string) => void {
    if (path.startsWith('/forbidden')) throw new Error(`${path}: permission denied`);
    if (!append) this.files.set(path, '');
    return (text) => void this.files.set(path, (this.files.get(path) ?? '') + text);
  }

  pressCtrlC(): void {
    for (const callback of [...this.#interrupts]) callback();
    this.end('SIGINT');
  }

  end(signal: EndSignal): void {
    for (const callback of [...this.#ends]) callback(signal);
  }

  /** Lets time pass and every timer fire once. */
  pass(ms: number): void {
    this.#now += ms;
    for (const callback of [...this.#ticks]) callback();
  }

  get timers(): number {
    return this.#ticks.size;
  }
}
