import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '#api/testing/database.ts'
import { lead, wait } from './lead.ts'
import { listen } from './listen.ts'
import { sql } from './sql.ts'

const database = useDatabase()

/** The maximum idle time before a TCP keepalive probe, in seconds. Linux's default is two hours. */
const MAX_IDLE_SECONDS = 5
const TIMER_OF_KEEPALIVE = '02'
const TICKS_PER_SECOND = 100

/** The idle seconds before Linux probes a TCP connection of this machine; undefined if keepalive is off. */
function probesAfter(from: number, to: number): number | undefined {
  const [local, remote] = [from, to].map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`) as [string, string]
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, own, other, , , timer = ''] = line.trim().split(/\s+/)
    if (!own?.endsWith(local) || !other?.endsWith(remote)) continue
    const [kind, ticks = ''] = timer.split(':')
    return kind === TIMER_OF_KEEPALIVE ? Number.parseInt(ticks, 16) / TICKS_PER_SECOND : undefined
  }
  return undefined
}

/** The client port of the only session whose last query was this one. */
async function portOf(query: string): Promise<number> {
  const find = () =>
    sql<{ port: number }>(
      database.orm.em.fork(),
      `select client_port as port from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query like $1`,
      [query],
    )
  await expect.poll(async () => (await find()).length).toBe(1)
  return (await find())[0]!.port
}

const serverPort = () => Number(new URL(database.url).port)
const isOfSeconds = (seconds: number | undefined) => seconds !== undefined && seconds <= MAX_IDLE_SECONDS

test("the leader's connection is probed within seconds from both ends", async () => {
  const leader = lead(
    database.url,
    'watcher',
    ({ signal }) => wait(60_000, signal),
    (error) => {
      throw error
    },
  )
  onTestFinished(() => leader.stop())
  const port = await portOf('update leaderships%')

  await expect.poll(() => isOfSeconds(probesAfter(port, serverPort())), { message: 'ours' }).toBe(true)
  await expect.poll(() => isOfSeconds(probesAfter(serverPort(), port)), { message: 'the server’s' }).toBe(true)
})

test('the listening connection is probed within seconds', async () => {
  const listener = listen(database.url, 'keepalives', { onMessage: () => {} })
  onTestFinished(() => listener.stop())
  const port = await portOf('listen %')

  await expect.poll(() => isOfSeconds(probesAfter(port, serverPort()))).toBe(true)
})
