/** Logs in one answer that are enough: what is read at once is also held in memory and written at once. */
const ENOUGH = 10_000

/** Blocks asked for at first: few, for nobody knows yet how full they are. */
const FIRST = 100n

/**
 * How many blocks are asked for at once. Shrinks when a provider refuses a range, answers too much or too late, and grows again slowly
 * while the answers are small.
 */
export class ReadingPlan {
  #size: bigint
  readonly #max: bigint

  constructor(max = 2_000n) {
    this.#max = max
    this.#size = max < FIRST ? max : FIRST
  }

  get size(): bigint {
    return this.#size
  }

  /** @returns whether there is anything smaller to try. */
  halve(): boolean {
    if (this.#size === 1n) return false
    this.#size = this.#size / 2n
    return true
  }

  /** After an answer with so many logs. */
  adapt(logs: number): void {
    if (logs > ENOUGH) this.halve()
    else if (logs < ENOUGH / 2) this.#grow()
  }

  #grow(): void {
    const next = this.#size + this.#size / 4n + 1n
    this.#size = next > this.#max ? this.#max : next
  }
}
