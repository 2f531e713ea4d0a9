import type Router from '@koa/router'
import type { Context } from 'koa'
import { PassThrough } from 'node:stream'
import { getIpAccess } from '#shared/contract/admin/access.ts'
import { ADMIN_EVENTS_PATH, type ChangeMessage, EVENTS_PATH } from '#shared/contract/events.ts'
import { listSessions } from '#shared/contract/sessions.ts'
import { SECOND } from '#shared/dates.ts'
import { createBatcher } from '../db/createBatcher.ts'
import { findLiveSessions } from '../http/sessionStore.ts'
import { DomainError, refusal } from '../errors.ts'
import { networkOf } from '../http/clientAddress.ts'
import { isAdminAddress } from '../http/isAdminAddress.ts'
import { RequestSession } from '../http/RequestSession.ts'
import type { Services } from '../services.ts'
import type { SessionRealm } from '../tables/WebSession.ts'

/** Limit for visitors, counted by each process. */
const STREAMS_PER_NETWORK = 50
const HEARTBEAT = 15 * SECOND
const RETRY_SPREAD = 2 * SECOND
/** Bytes buffered for one page before its stream is closed. */
const MAX_BUFFERED_BYTES = 64 * 1024

/** Caches the text of a message that is sent to thousands of pages. */
const texts = new WeakMap<ChangeMessage, string>()

function writeMessage(message: ChangeMessage): string {
  const text = texts.get(message) ?? `data: ${JSON.stringify(message)}\n\n`
  texts.set(message, text)
  return text
}

/**
 * The event streams send open pages the keys of changed responses. A visitor receives public changes; an account also receives
 * its own. Administrators receive those of the back office on a stream of their own. A stream never writes the session.
 */
export function eventRoutes(router: Router, { events, orm, streams }: Pick<Services, 'events' | 'orm' | 'streams'>): void {
  const open = new Map<string, number>()
  const takeNetworkSlot = (network: string): (() => void) | undefined => {
    const count = open.get(network) ?? 0
    if (count >= STREAMS_PER_NETWORK) return undefined
    open.set(network, count + 1)
    return () => {
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    }
  }
  // Checks all due sessions in one query at a time, however many pages are open.
  const isAlive = createBatcher<string, boolean>({
    maxSize: 1_000,
    async run(keys) {
      const found = await findLiveSessions(orm.em.fork(), keys)
      return keys.map((key) => found.has(key))
    },
  })

  router.get(EVENTS_PATH, (ctx) => openStream(ctx, 'user'))
  router.get(ADMIN_EVENTS_PATH, (ctx) => openStream(ctx, 'admin'))

  async function openStream(ctx: Context, realm: SessionRealm): Promise<void> {
    const session = new RequestSession(ctx, realm)
    const { actor } = session
    const { clientAddress } = ctx.state as { clientAddress: string }
    if (realm === 'admin' && !actor) throw refusal(401, 'unauthenticated', 'Unauthorized')
    const sessionKey = actor && session.key()
    const stream = new PassThrough()
    const release = actor ? await streams.take(actor.id, () => stream.end()) : takeNetworkSlot(networkOf(clientAddress))
    if (!release) throw new DomainError('rate_limited', 'Too many pages are open.', { status: 429, retryAfter: 30 })
    const { res } = ctx
    // The page has disconnected while its slot was taken; nothing else would close the stream.
    if (res.destroyed) return release()
    // Without chunked encoding a message is one write without a frame, which matters when thousands of pages are notified.
    res.useChunkedEncodingByDefault = false
    res.shouldKeepAlive = false
    // A page that stops reading must not fill the memory. It reconnects and refetches.
    const send = (text: string) => {
      if (!res.headersSent) stream.write(text)
      else if (res.writableLength > MAX_BUFFERED_BYTES) stream.destroy()
      else res.write(text)
    }
    // A stream must not outlive its session. A brief outage of the database ends no stream.
    const endWithSession = async (key: string) => {
      if (!(await isAlive(key).catch(() => true))) stream.end()
    }
    // Nor may a stream of the back office outlive the permission of its address.
    const isStillAllowed = (): Promise<boolean> => isAdminAddress(orm.em.fork(), clientAddress).catch(() => true)
    const sendOffice = async (keys: readonly string[]) => {
      if (keys.includes(getIpAccess.path) && !(await isStillAllowed())) stream.end()
      else send(writeMessage({ keys: [...keys] }))
    }
    const subscriptions = [
      events.onChange(({ all, users, office }) => {
        if (realm === 'admin') {
          if (office.length > 0) void sendOffice(office)
          return
        }
        if (all) send(writeMessage(all))
        const own = actor && users[actor.id]
        if (!own) return
        send(writeMessage({ keys: own }))
        // A session of the account has begun or ended, possibly this one.
        if (sessionKey && own.includes(listSessions.path)) void endWithSession(sessionKey)
      }),
      // Changes may have been missed until now; the page reconnects and refetches.
      events.onConnect(() => stream.end()),
    ]
    const heartbeat = setInterval(() => {
      send(':\n\n')
      if (sessionKey) void endWithSession(sessionKey)
      // The change may have been missed between the check of the request and the subscription.
      if (realm === 'admin') void isStillAllowed().then((isAllowed) => void (isAllowed || stream.end()))
    }, HEARTBEAT)
    res.once('close', () => stream.destroy())
    stream.once('close', () => {
      clearInterval(heartbeat)
      for (const unsubscribe of subscriptions) unsubscribe()
      release()
    })

    ctx.type = 'text/event-stream'
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Accel-Buffering', 'no')
    // Spreads the reconnects of all pages when a process ends.
    send(`retry: ${1_000 + Math.floor(Math.random() * RETRY_SPREAD)}\n\n`)
    ctx.body = stream
  }
}
