/** So many at once, the others in line: what asks a store for thousands of things in one moment gets none of them in time. */
export class AtOnce {
  #underWay = 0;
  readonly #line: (() => void)[] = [];

  constructor(private readonly most: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay >= this.most) await new Promise<void>((go) => this.#line.push(go));
    else this.#underWay += 1;
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      // Its place is handed on, so that nobody comes in between.
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}
