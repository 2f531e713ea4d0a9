interface Waiting<Item, Answer> {
  item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

export interface BatcherOptions<Item, Answer> {
  /** Answers all items, in their order; an Error in a place rejects that item alone. */
  run(items: Item[]): Promise<(Answer | Error)[]>
  maxSize: number
  /** Items of one group never share a batch: what the first does is seen by the second. */
  groupOf?(item: Item): string
}

/**
 * Lets requests that wait at the same moment share one round trip: the first goes at once, those that arrive while it runs go
 * together after it, first come, first served. Nobody is answered before the batch is done.
 */
export function createBatcher<Item, Answer>({
  run,
  maxSize,
  groupOf,
}: BatcherOptions<Item, Answer>): (item: Item) => Promise<Answer> {
  let queue: Waiting<Item, Answer>[] = []
  let running = false

  function takeBatch(): Waiting<Item, Answer>[] {
    const batch: Waiting<Item, Answer>[] = []
    const left: Waiting<Item, Answer>[] = []
    const groups = new Set<string>()
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
    running = false
  }

  return (item) =>
    new Promise<Answer>((resolve, reject) => {
      queue.push({ item, resolve, reject })
      // Once the present turn of the event loop is over, so that requests read from their sockets together go together.
      if (!running) {
        running = true
        setImmediate(() => void drain())
      }
    })
}
