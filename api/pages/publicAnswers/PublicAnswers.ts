import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHash } from 'node:crypto'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { z } from 'zod'
import { formatAmount } from '#shared/amount.ts'
import type { ChangeMessage } from '#shared/contract/events.ts'
import { getNodePage, getNodeStats, type NodeStats } from '#shared/contract/nodes.ts'
import { getConfig, getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { settingKeys } from '#shared/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { readNodePages } from '#api/sale/supply/readNodePages.ts'
import { readNodeStats } from '#api/sale/supply/readNodeStats.ts'
import { readDailyRate } from '#api/rewards/rates/readDailyRate.ts'
import type { Services } from '#api/platform/services.ts'
import { describeConfig } from '#api/sale/settings/describeConfig.ts'
import { nodePriceOf, readSettings } from '#api/sale/settings/readSettings.ts'

interface Answer {
  /** A string, which node sends together with the headers; a buffer would go by itself. */
  body: string
  etag: string
  /** Name, value, name, value …: what node writes without looking at it again. */
  headers: string[]
  /** How often it was given, in all its versions. */
  given: { count: number }
}

/** The calls that everybody makes and that answer everybody alike. */
const endpoints = [getNodeStats, getNodeSettings, listSystemSettings, getConfig] as const

/** How often the pages of nodes are read: they cost more than one row, and nobody pays by them. */
export const NODE_PAGES_INTERVAL = 10 * SECOND

/**
 * Answers the public calls from memory, ahead of everything else: the numbers are read from the database at most once a second for
 * all callers, and again as soon as a change is heard of.
 */
export class PublicAnswers {
  readonly #services: Pick<Services, 'clock' | 'config' | 'events' | 'orm' | 'replica'>
  readonly #baseHeaders: string[]
  readonly #answers = new Map<string, Answer>()
  /** By path, apart from the others: no page that the server renders needs them. */
  readonly #nodePages = new Map<string, Answer>()
  readonly #nodePagesGiven = { count: 0 }
  #nodePagesReadAt = -Infinity
  #refreshing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #awaited: string | undefined
  #nodeStats: NodeStats | undefined

  constructor(
    services: Pick<Services, 'clock' | 'config' | 'events' | 'orm' | 'replica'>,
    securityHeaders: Record<string, string>,
  ) {
    this.#services = services
    this.#baseHeaders = Object.entries(securityHeaders).flat()
  }

  async start(): Promise<void> {
    await this.refresh()
    const watched = new Set<string>(endpoints.map(({ path }) => path))
    this.#services.events.prepare(({ all }) => (all.some((key) => watched.has(key)) ? this.#readChange(all) : undefined))
    this.#timer = setInterval(() => void this.refresh(), SECOND)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#refreshing
  }

  /** Reads everything anew. While the database is away the last answers stand. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read()
      .catch(() => {})
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  /** A reading that is under way may have begun before the change. */
  async #readChange(keys: readonly string[]): Promise<Pick<ChangeMessage, 'nodeStats'>> {
    await this.#notePosition()
    await this.#refreshing
    await this.refresh()
    return keys.includes(getNodeStats.path) ? { nodeStats: this.#nodeStats } : {}
  }

  /** Where the database stands that has the change: until the replica has come as far, it is not asked. */
  async #notePosition(): Promise<void> {
    const { orm, replica } = this.#services
    if (!replica) return
    const row = await query(orm.em.fork())
      .selectNoFrom(({ fn }) => fn<string>('pg_current_wal_insert_lsn', []).as('position'))
      .executeTakeFirst()
      .catch(() => undefined)
    this.#awaited = row?.position
  }

  /** Writes the answer if the request is one of these. */
  tryAnswer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET') return false
    const url = request.url ?? ''
    const answer = this.#answers.get(url) ?? this.#nodePages.get(url)
    if (!answer) return false
    answer.given.count += 1
    if (request.headers['if-none-match'] === answer.etag) response.writeHead(304, answer.headers).end()
    else response.writeHead(200, answer.headers).end(answer.body)
    return true
  }

  /** Everything that is answered at this moment, by path, and what tells it from everything before. */
  snapshot(): { version: string; answers: Record<string, string> } {
    const answers = [...this.#answers]
    return {
      version: answers.map(([, { etag }]) => etag).join(),
      answers: Object.fromEntries(answers.map(([path, { body }]) => [path, body])),
    }
  }

  /** How often each call was answered. */
  countAnswers(): ReadonlyMap<string, number> {
    return new Map([
      ...[...this.#answers].map(([path, { given }]) => [path, given.count] as const),
      [getNodePage.path, this.#nodePagesGiven.count],
    ])
  }

  /** From the replica, if there is one that answers and knows what open pages have been told of. */
  async #read(): Promise<void> {
    const { orm, replica } = this.#services
    if (!replica || !(await this.#hasCaughtUp(replica))) return this.#readFrom(orm)
    await this.#readFrom(replica).catch(() => this.#readFrom(orm))
  }

  async #hasCaughtUp(replica: MikroORM): Promise<boolean> {
    if (this.#awaited === undefined) return true
    // One that does not follow by the log of changes cannot tell.
    const row = await query(replica.em.fork())
      .selectNoFrom(sql<boolean>`coalesce(pg_last_wal_replay_lsn() >= ${this.#awaited}::pg_lsn, true)`.as('reached'))
      .executeTakeFirst()
      .catch(() => undefined)
    if (row?.reached) this.#awaited = undefined
    return row?.reached ?? false
  }

  async #readFrom(orm: MikroORM): Promise<void> {
    const { config, clock } = this.#services
    const em = orm.em.fork()
    const stats = await readNodeStats(em)
    const settings = {
      ...(await readSettings(em)),
      xcr_per_node_daily: formatAmount(await readDailyRate(em, clock.productNow())),
    }
    this.#nodeStats = stats
    this.#put(getNodeStats, stats)
    this.#put(getNodeSettings, { nodePrice: nodePriceOf(settings), totalLimit: stats.total })
    this.#put(
      listSystemSettings,
      settingKeys.map((key) => ({ key, value: settings[key] })),
    )
    this.#put(getConfig, describeConfig(config, clock))
    await this.#readNodePages(em, stats.total)
  }

  async #readNodePages(em: EntityManager, total: number): Promise<void> {
    const now = this.#services.clock.now().getTime()
    if (now - this.#nodePagesReadAt < NODE_PAGES_INTERVAL) return
    const pages = await readNodePages(em, total)
    this.#nodePagesReadAt = now
    for (const [page, runs] of pages.entries()) {
      const path = getNodePage.path.replace(':page', String(page))
      const body = JSON.stringify(z.encode(getNodePage.response, runs))
      this.#store(this.#nodePages, path, body, { maxAge: NODE_PAGES_INTERVAL / SECOND, given: this.#nodePagesGiven })
    }
  }

  #put<E extends (typeof endpoints)[number]>(endpoint: E, value: z.output<E['response']>): void {
    const body = JSON.stringify(z.encode(endpoint.response as z.ZodType, value))
    const given = this.#answers.get(endpoint.path)?.given ?? { count: 0 }
    this.#store(this.#answers, endpoint.path, body, { maxAge: 1, given })
  }

  #store(
    answers: Map<string, Answer>,
    path: string,
    body: string,
    { maxAge, given }: { maxAge: number; given: Answer['given'] },
  ): void {
    const etag = `"${createHash('sha1').update(body).digest('base64url')}"`
    if (answers.get(path)?.etag === etag) return
    const headers = [
      ...this.#baseHeaders,
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      String(Buffer.byteLength(body)),
      'Cache-Control',
      `public, max-age=${maxAge}`,
      'ETag',
      etag,
    ]
    answers.set(path, { body, etag, headers, given })
  }
}
