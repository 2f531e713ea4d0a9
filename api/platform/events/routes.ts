import type Router from '@koa/router'
import type { Context } from 'koa'
import type { ServerResponse } from 'node:http'
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
import { createHeartbeat } from './createHeartbeat.ts'

/** Limit for visitors, counted by each process. */
const STREAMS_PER_NETWORK = 50
const HEARTBEAT = 15 * SECOND
const RETRY_SPREAD = 2 * SECOND
/** Bytes buffered for one page before its stream is closed. */
const MAX_BUFFERED_BYTES = 64 * 1024

const HEARTBEAT_BYTES = Buffer.from(':\n\n')
/** Caches the bytes of a message that is sent to thousands of pages: it is encoded once for all of them. */
const encoded = new WeakMap<ChangeMessage, Buffer>()

function encodeMessage(message: ChangeMessage): Buffer {
  const known = encoded.get(message)
  if (known) return known
  const bytes = Buffer.from(`data: ${JSON.stringify(message)}\n\n`)
  encoded.set(message, bytes)
  return bytes
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

  const heartbeats = createHeartbeat(HEARTBEAT)

  async function openStream(ctx: Context, realm: SessionRealm): Promise<void> {
    const session = new RequestSession(ctx, realm)
    const { actor } = session
    const { clientAddress } = ctx.state as { clientAddress: string }
    if (realm === 'admin' && !actor) throw refusal(401, 'unauthenticated', 'Unauthorized')
    const { res } = ctx
    const release = actor ? await streams.take(actor.id, () => res.end()) : takeNetworkSlot(networkOf(clientAddress))
    if (!release) throw new DomainError('rate_limited', 'Too many pages are open.', { status: 429, retryAfter: 30 })
    // The page has disconnected while its slot was taken; nothing else would free it.
    if (res.destroyed) return release()
    ctx.status = 200
    ctx.type = 'text/event-stream'
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Accel-Buffering', 'no')
    // Written here: thousands of open streams need neither Koa's pipeline nor a second stream each.
    ctx.respond = false
    follow(res, { realm, accountId: actor?.id, sessionKey: actor && session.key(), clientAddress, release })
    // The router takes HEAD for GET. Its answer is complete without a body.
    if (ctx.method === 'HEAD') res.end()
  }

  /** Sends the changes to an open page until it disconnects. Keeps nothing of the request but its response. */
  function follow(res: ServerResponse, { realm, accountId, sessionKey, clientAddress, release }: Follower): void {
    // Without chunked encoding a message is one write without a frame, which matters when thousands of pages are notified.
    res.useChunkedEncodingByDefault = false
    res.shouldKeepAlive = false
    const send = (bytes: Buffer) => {
      if (res.destroyed || res.writableEnded) return
      // A page that stops reading must not fill the memory. It reconnects and refetches.
      if (res.writableLength > MAX_BUFFERED_BYTES) res.destroy()
      else res.write(bytes)
    }
    // A stream must not outlive its session. A brief outage of the database ends no stream.
    const endWithSession = async (key: string) => {
      if (!(await isAlive(key).catch(() => true))) res.end()
    }
    // Nor may a stream of the back office outlive the permission of its address.
    const endUnlessAllowed = async (): Promise<boolean> => {
      const isAllowed = await isAdminAddress(orm.em.fork(), clientAddress).catch(() => true)
      if (!isAllowed) res.end()
      return isAllowed
    }
    const sendOffice = async (message: ChangeMessage) => {
      if (!message.keys.includes(getIpAccess.path) || (await endUnlessAllowed())) send(encodeMessage(message))
    }
    const subscriptions = [
      events.onChange(({ all, users, office, places }) => {
        if (realm === 'admin') {
          if (office) void sendOffice(office)
          return
        }
        if (all) send(encodeMessage(all))
        if (accountId === undefined) return
        const place = places?.[accountId]
        if (place !== undefined) send(encodeMessage({ keys: [], place }))
        const own = users[accountId]
        if (!own) return
        send(encodeMessage({ keys: own }))
        // A session of the account has begun or ended, possibly this one.
        if (sessionKey && own.includes(listSessions.path)) void endWithSession(sessionKey)
      }),
      // Changes may have been missed until now; the page reconnects and refetches.
      events.onConnect(() => res.end()),
      heartbeats.add(() => {
        send(HEARTBEAT_BYTES)
        if (sessionKey) void endWithSession(sessionKey)
        // The change may have been missed between the check of the request and the subscription.
        if (realm === 'admin') void endUnlessAllowed()
      }),
    ]
    res.once('close', () => {
      for (const unsubscribe of subscriptions) unsubscribe()
      release()
    })
    // Spreads the reconnects of all pages when a process ends.
    const retry = `retry: ${1_000 + Math.floor(Math.random() * RETRY_SPREAD)}\n\n`
    const opening = realm === 'user' ? events.openingMessage : undefined
    send(opening ? Buffer.concat([Buffer.from(retry), encodeMessage(opening)]) : Buffer.from(retry))
  }
}

interface Follower {
  realm: SessionRealm
  /** Undefined for a visitor. */
  accountId: string | undefined
  sessionKey: string | undefined
  clientAddress: string
  release: () => void
}
