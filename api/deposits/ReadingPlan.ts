/** How many blocks are asked for at once. Shrinks when a provider refuses a range, answers too much or too late, and grows again slowly. */
export class ReadingPlan {
  #size: bigint
  readonly #max: bigint

  constructor(max = 2_000n) {
    this.#max = max
    this.#size = max
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

  grow(): void {
    const next = this.#size + this.#size / 4n + 1n
    this.#size = next > this.#max ? this.#max : next
  }
}
