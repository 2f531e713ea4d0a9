/** Target number of logs per answer: a range is held in memory and written at once. */
const TARGET_LOGS = 10_000

/** Initial number of blocks, small because their number of logs is not known yet. Any endpoint can answer for so many in time. */
export const INITIAL_SIZE = 100n

/**
 * The number of blocks per request. Shrinks when a provider refuses a range, returns too many logs or times out, and grows slowly while the
 * answers are small.
 */
export class AdaptiveRange {
  #size: bigint
  readonly #max: bigint

  constructor(max = 2_000n) {
    this.#max = max
    this.#size = max < INITIAL_SIZE ? max : INITIAL_SIZE
  }

  get size(): bigint {
    return this.#size
  }

  /** @returns whether a smaller range is possible; one of at most `enough` blocks need not be smaller. */
  halve(enough = 1n): boolean {
    if (this.#size <= enough) return false
    this.#size = this.#size / 2n
    return true
  }

  /** Adapts the size to the number of logs in the last answer. */
  adapt(logs: number): void {
    if (logs > TARGET_LOGS) this.halve()
    else if (logs < TARGET_LOGS / 2) this.#grow()
  }

  #grow(): void {
    const next = this.#size + this.#size / 4n + 1n
    this.#size = next > this.#max ? this.#max : next
  }
}
