interface Waiting<Item, Answer> {
  item: Item
  /** Of the monotonic clock, in milliseconds. */
  since: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export interface BatcherOptions<Item, Answer> {
  /** Returns a result for each item in order; an Error rejects only that item. */
  run(items: Item[]): Promise<(Answer | Error)[]>
  maxSize: number
  /** Items of one group never share a batch, so that the second sees the effects of the first. */
  groupOf?(item: Item): string
  /** Milliseconds to wait for more items before a batch, for work that is not urgent. */
  delay?: number
  /** The order of items that wait together; by default that of the calls. */
  orderOf?(item: Item): number
}

export interface Batcher<Item, Answer> {
  (item: Item): Promise<Answer>
  /** The items that have no answer yet, in the order in which they get one. */
  listWaiting(): { item: Item; since: number }[]
}

/**
 * Batches concurrent requests into shared round trips: the first starts at once, and those that arrive while it runs follow in
 * one batch, in order. Results are delivered when their batch is complete.
 */
export function createBatcher<Item, Answer>({
  run,
  maxSize,
  groupOf,
  orderOf,
  delay = 0,
}: BatcherOptions<Item, Answer>): Batcher<Item, Answer> {
  let queue: Waiting<Item, Answer>[] = []
  let current: Waiting<Item, Answer>[] = []
  let running = false

  function takeBatch(): Waiting<Item, Answer>[] {
    const batch: Waiting<Item, Answer>[] = []
    const left: Waiting<Item, Answer>[] = []
    const groups = new Set<string>()
    if (orderOf) queue.sort((a, b) => orderOf(a.item) - orderOf(b.item))
    for (const waiting of queue) {
      const group = groupOf?.(waiting.item)
      if (batch.length < maxSize && (group === undefined || !groups.has(group))) {
        batch.push(waiting)
        if (group !== undefined) groups.add(group)
      } else left.push(waiting)
    }
    queue = left
    return batch
  }

  async function drain(): Promise<void> {
    running = true
    while (queue.length > 0) {
      const batch = takeBatch()
      current = batch
      try {
        const answers = await run(batch.map(({ item }) => item))
        batch.forEach(({ resolve, reject }, index) => {
          const answer = answers[index] as Answer | Error
          if (answer instanceof Error) reject(answer)
          else resolve(answer)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    current = []
    running = false
  }

  const ask = (item: Item) =>
    new Promise<Answer>((resolve, reject) => {
      queue.push({ item, since: performance.now(), resolve, reject })
      // At the end of this turn of the event loop, so that requests read from sockets in the same turn share a batch.
      if (!running) {
        running = true
        if (delay > 0) setTimeout(() => void drain(), delay).unref()
        else setImmediate(() => void drain())
      }
    })
  return Object.assign(ask, { listWaiting: () => [...current, ...queue].map(({ item, since }) => ({ item, since })) })
}
