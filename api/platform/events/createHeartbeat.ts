import { SECOND } from '#shared/dates.ts'

interface Heartbeat {
  /** Calls `beat` once in every period. Returns the function that ends this. */
  add(beat: () => void): () => void
}

/**
 * Runs the heartbeats of thousands of streams with a single timer. Each second has its share of them, so that they do not all come at once.
 *
 * @param period in milliseconds, a multiple of a second.
 */
export function createHeartbeat(period: number): Heartbeat {
  const shares = Array.from({ length: period / SECOND }, () => new Set<() => void>())
  let timer: NodeJS.Timeout | undefined
  let second = 0
  let count = 0

  function tick(): void {
    second = (second + 1) % shares.length
    for (const beat of shares[second]!) beat()
  }

  return {
    add(beat) {
      const share = shares.reduce((smallest, other) => (other.size < smallest.size ? other : smallest))
      const own = () => beat()
      share.add(own)
      count += 1
      timer ??= setInterval(tick, SECOND).unref()
      return () => {
        if (!share.delete(own)) return
        count -= 1
        if (count > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
