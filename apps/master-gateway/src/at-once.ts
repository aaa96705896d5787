/** Runs only so much work at once and lets the rest wait in line: a store that is asked for thousands of things in one moment answers none in time. */
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
      // Its place goes to the next in line, and nobody who comes now gets in between.
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}
