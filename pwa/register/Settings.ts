interface Setting {
  from: Date
  value: bigint
  /** Of its entry. */
  index: number
}

/** Settings of one kind, in the order of `from`, then of the log. */
export class Settings {
  readonly #items: Setting[] = []

  add(item: Setting): void {
    const after = this.#items.findLastIndex(({ from }) => from <= item.from)
    this.#items.splice(after + 1, 0, item)
  }

  /** The one in force. */
  at(instant: Date): Setting | undefined {
    return this.#items.findLast(({ from }) => from <= instant)
  }
}
