import type Router from '@koa/router'
import { PassThrough } from 'node:stream'
import { EVENTS_PATH, type ChangeMessage } from '#shared/contract/events.ts'
import { listSessions } from '#shared/contract/sessions.ts'
import { SECOND } from '#shared/dates.ts'
import { createBatcher } from '../db/createBatcher.ts'
import { findLiveSessions } from '../http/sessionStore.ts'
import { DomainError } from '../errors.ts'
import { networkOf } from '../http/clientAddress.ts'
import { RequestSession } from '../http/RequestSession.ts'
import type { Services } from '../services.ts'

/** Of visitors, counted by each process. */
const STREAMS_PER_NETWORK = 50
const HEARTBEAT = 15 * SECOND
const RETRY_SPREAD = 2 * SECOND
/** Bytes that wait for one page. */
const MOST_UNREAD = 64 * 1024

/** What thousands hear is written once. */
const texts = new WeakMap<ChangeMessage, string>()

function writeMessage(message: ChangeMessage): string {
  const text = texts.get(message) ?? `data: ${JSON.stringify(message)}\n\n`
  texts.set(message, text)
  return text
}

/**
 * The event stream: tells an open page which answers have changed. A visitor hears what is public, an account its own as well.
 * It never writes the session.
 */
export function eventRoutes(router: Router, { events, orm, streams }: Pick<Services, 'events' | 'orm' | 'streams'>): void {
  const open = new Map<string, number>()
  const takeOfNetwork = (network: string): (() => void) | undefined => {
    const count = open.get(network) ?? 0
    if (count >= STREAMS_PER_NETWORK) return undefined
    open.set(network, count + 1)
    return () => {
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    }
  }
  // However many pages are open, one question at a time looks at all the sessions that are due.
  const isAlive = createBatcher<string, boolean>({
    maxSize: 1_000,
    async run(keys) {
      const found = await findLiveSessions(orm.em.fork(), keys)
      return keys.map((key) => found.has(key))
    },
  })

  router.get(EVENTS_PATH, async (ctx) => {
    const session = new RequestSession(ctx, 'user')
    const { actor } = session
    const sessionKey = actor && session.key()
    const stream = new PassThrough()
    const release = actor
      ? await streams.take(actor.id, () => stream.end())
      : takeOfNetwork(networkOf((ctx.state as { clientAddress: string }).clientAddress))
    if (!release) throw new DomainError('rate_limited', 'Too many pages are open.', { status: 429, retryAfter: 30 })
    const { res } = ctx
    // The page has gone while its slot was taken: nothing would ever close the stream.
    if (res.destroyed) return release()
    // Ends with its connection, so that a message is one write without a frame around it: thousands hear it in one moment.
    res.useChunkedEncodingByDefault = false
    res.shouldKeepAlive = false
    // Who no longer reads must not be remembered for ever what he has missed: his page comes back and asks anew.
    const say = (text: string) => {
      if (!res.headersSent) stream.write(text)
      else if (res.writableLength > MOST_UNREAD) stream.destroy()
      else res.write(text)
    }
    // A stream that outlived its session would go on telling of the account. A database that is away for a moment ends nothing.
    const endWithSession = async (key: string) => {
      if (!(await isAlive(key).catch(() => true))) stream.end()
    }
    const leave = [
      events.onChange(({ all, users }) => {
        if (all) say(writeMessage(all))
        const own = actor && users[actor.id]
        if (!own) return
        say(writeMessage({ keys: own }))
        // Some session of the account has begun or ended: perhaps this one.
        if (sessionKey && own.includes(listSessions.path)) void endWithSession(sessionKey)
      }),
      // What was said until then is lost: the page comes back and asks anew.
      events.onConnect(() => stream.end()),
    ]
    const heartbeat = setInterval(() => {
      say(':\n\n')
      if (sessionKey) void endWithSession(sessionKey)
    }, HEARTBEAT)
    res.once('close', () => stream.destroy())
    stream.once('close', () => {
      clearInterval(heartbeat)
      for (const unsubscribe of leave) unsubscribe()
      release()
    })

    ctx.type = 'text/event-stream'
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Accel-Buffering', 'no')
    // When a process ends, all its pages come back, though not all in one moment.
    say(`retry: ${1_000 + Math.floor(Math.random() * RETRY_SPREAD)}\n\n`)
    ctx.body = stream
  })
}
