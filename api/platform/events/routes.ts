import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { ServerResponse } from 'node:http'
import { getIpAccess } from '#shared/contract/admin/login.ts'
import { ADMIN_EVENTS_PATH, type ChangeMessage, EVENTS_PATH } from '#shared/contract/events.ts'
import { listSessions } from '#shared/contract/sessions.ts'
import { SECOND } from '#shared/dates.ts'
import { createBatcher } from '../db/createBatcher.ts'
import { sessionCookieName } from '../http/cookieSession.ts'
import { createMarkSeen, createReadSession, findLiveSessions } from '../http/sessionStore.ts'
import { DomainError, refusal } from '../errors.ts'
import { networkOf } from '../http/clientAddress.ts'
import { isAdminAddress } from '../http/isAdminAddress.ts'
import { hashSessionId } from '../http/namedSession.ts'
import type { Services } from '../services.ts'
import type { SessionRealm } from '../tables/WebSession.ts'
import { createHeartbeat } from './createHeartbeat.ts'

/** Limit for visitors, counted by each process. */
const STREAMS_PER_NETWORK = 50
const HEARTBEAT = 15 * SECOND
const RETRY_SPREAD = 2 * SECOND
/** When a process ends, its pages reconnect within two seconds, and their sessions are read together. */
const COLLECT_SESSIONS_FOR = SECOND / 20
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

/** By path. */
const realms = new Map<string, SessionRealm>([
  [EVENTS_PATH, 'user'],
  [ADMIN_EVENTS_PATH, 'admin'],
])

/** Their routes; the middleware answers before the router does. */
export function eventRoutes(router: Router): void {
  for (const path of realms.keys()) router.get(path, () => {})
}

/**
 * The event streams send open pages the keys of changed responses. A visitor receives public changes; an account also receives
 * its own. Administrators receive those of the back office on a stream of their own.
 *
 * Comes before the middleware for sessions and bodies: a stream only reads the session, and can wait until many are read together.
 */
export function eventStreams({
  config,
  events,
  orm,
  streams,
}: Pick<Services, 'config' | 'events' | 'orm' | 'streams'>): Middleware {
  const takeNetworkSlot = createNetworkSlots()
  // Checks all due sessions in one query at a time, however many pages are open.
  const isAlive = createBatcher<string, boolean>({
    maxSize: 1_000,
    async run(keys) {
      const found = await findLiveSessions(orm.em.fork(), keys)
      return keys.map((key) => found.has(key))
    },
  })

  const readSession = {
    user: createReadSession(orm, 'user', { delay: COLLECT_SESSIONS_FOR }),
    admin: createReadSession(orm, 'admin', { delay: COLLECT_SESSIONS_FOR }),
  }
  const markSeen = createMarkSeen(orm)

  const sources: Sources = {
    events,
    heartbeats: createHeartbeat(HEARTBEAT),
    isAlive,
    isAllowed: (clientAddress) => isAdminAddress(orm.em.fork(), clientAddress),
  }

  async function openStream(ctx: Context, realm: SessionRealm): Promise<void> {
    const { req, res } = ctx
    const { clientAddress } = ctx.state as { clientAddress: string }
    const id = ctx.cookies.get(sessionCookieName(realm, config), { signed: false })
    const session = id ? await readSession[realm](hashSessionId(id)) : undefined
    const accountId = session?.account_id ?? undefined
    if (realm === 'admin' && accountId === undefined) throw refusal(401, 'unauthenticated', 'Unauthorized')
    if (session) markSeen(session, clientAddress)
    const release =
      accountId === undefined ? takeNetworkSlot(networkOf(clientAddress)) : await streams.take(accountId, () => res.end())
    if (!release) throw new DomainError('rate_limited', 'Too many pages are open.', { status: 429, retryAfter: 30 })
    // The page has disconnected while its slot was taken; nothing else would free it.
    if (res.destroyed) return release()
    // A request that has ended is not aborted when the page disconnects, which would cost an error for each.
    req.resume()
    ctx.status = 200
    ctx.type = 'text/event-stream'
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Accel-Buffering', 'no')
    // Written here: thousands of open streams need neither Koa's pipeline nor a second stream each.
    ctx.respond = false
    follow(sources, res, { realm, accountId, sessionKey: session?.key, clientAddress, release })
    // The answer to HEAD is complete without a body.
    if (ctx.method === 'HEAD') res.end()
  }

  return (ctx, next) => {
    const realm = realms.get(ctx.path)
    return realm && (ctx.method === 'GET' || ctx.method === 'HEAD') ? openStream(ctx, realm) : next()
  }
}

/**
 * Limits the open streams of each network.
 *
 * @returns a function that takes a slot: it returns what releases the slot, or undefined if the network has no slot left.
 */
function createNetworkSlots(): (network: string) => (() => void) | undefined {
  const open = new Map<string, number>()
  return (network) => {
    const count = open.get(network) ?? 0
    if (count >= STREAMS_PER_NETWORK) return undefined
    open.set(network, count + 1)
    return () => {
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    }
  }
}

/** What an open page follows, the same for all. */
interface Sources extends Pick<Services, 'events'> {
  heartbeats: ReturnType<typeof createHeartbeat>
  /** Whether a session still exists. */
  isAlive: (sessionKey: string) => Promise<boolean>
  /** Whether an address may open the back office. */
  isAllowed: (clientAddress: string) => Promise<boolean>
}

interface Follower {
  realm: SessionRealm
  /** Undefined for a visitor. */
  accountId: string | undefined
  sessionKey: string | undefined
  clientAddress: string
  release: () => void
}

/** Sends the changes to an open page until it disconnects. Keeps nothing of the request but its response. */
function follow(
  { events, heartbeats, isAlive, isAllowed }: Sources,
  res: ServerResponse,
  { realm, accountId, sessionKey, clientAddress, release }: Follower,
): void {
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
    const mayStay = await isAllowed(clientAddress).catch(() => true)
    if (!mayStay) res.end()
    return mayStay
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
    }, accountId),
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
