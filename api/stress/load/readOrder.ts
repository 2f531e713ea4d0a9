/** The order in which a web process decided requests, from its log. */
export interface ServedOrder {
  requests: number
  batches: number
  /** Requests that were decided after one that had arrived later. */
  overtaken: number
}

/** @param log the lines of one web process, over all its restarts. */
export function readOrder(log: string): ServedOrder {
  const order: ServedOrder = { requests: 0, batches: 0, overtaken: 0 }
  let latest = 0
  for (const line of log.split('\n')) {
    // Every start counts the arrivals anew.
    if (line.includes('"message":"Running')) latest = 0
    const [, ranges] = /"message":"Reservations decided".*"arrivals":"([\d,-]+)"/.exec(line) ?? []
    if (ranges === undefined) continue
    order.batches += 1
    for (const arrival of ranges.split(',').flatMap(expandRange)) {
      order.requests += 1
      if (arrival < latest) order.overtaken += 1
      latest = Math.max(latest, arrival)
    }
  }
  return order
}

function expandRange(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
