interface Price {
  from: Date
  price: bigint
}

/** The list prices as the log tells them, in the order of the log. */
export class PriceHistory {
  readonly #prices: readonly Price[]

  constructor(prices: readonly Price[]) {
    this.#prices = prices
  }

  /** In force is the price with the latest beginning; of several with the same, the last. */
  at(time: Date): bigint | undefined {
    let found: Price | undefined
    for (const price of this.#prices) if (price.from <= time && (!found || price.from >= found.from)) found = price
    return found?.price
  }
}
