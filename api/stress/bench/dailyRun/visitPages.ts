import { setTimeout as delay } from 'node:timers/promises'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { sessionId } from '../reservations/prepareBuyers.ts'
import { VISITORS } from './prepareHolders.ts'

/** Milliseconds between two requests, independent of earlier answers. */
const REQUEST_INTERVAL = 10

/** Requests the public statistics and users' nodes alternately until it is stopped. Returns the duration of each answer. */
export function visitPages(port: number, visitors = VISITORS): { stop(): Promise<number[]> } {
  const stopping = new AbortController()
  const waits: Promise<number>[] = []

  async function request(index: number): Promise<number> {
    const started = performance.now()
    const path = index % 2 ? getNodeStats.path : getUserNodes.path
    const cookie = `__Host-user_session=${sessionId((index % visitors) + 1)}`
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path} answered ${response.status}.`)
    return performance.now() - started
  }

  async function visit(): Promise<void> {
    const started = performance.now()
    for (let index = 0; !stopping.signal.aborted; index += 1) {
      await delay(Math.max(0, started + index * REQUEST_INTERVAL - performance.now()))
      const wait = request(index)
      wait.catch(() => {})
      waits.push(wait)
    }
  }

  const visiting = visit()
  return {
    async stop() {
      stopping.abort()
      await visiting
      return Promise.all(waits)
    },
  }
}
