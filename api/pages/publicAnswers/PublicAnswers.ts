import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { formatAmount } from '#shared/amount.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import type { ChangeMessage } from '#shared/contract/events.ts'
import { getNodePage, getNodeStats, type NodeStats } from '#shared/contract/nodes.ts'
import { getConfig, getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { getStatus } from '#shared/contract/status.ts'
import { settingKeys } from '#shared/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { readNodePages } from '#api/sale/supply/readNodePages.ts'
import { readNodeStats } from '#api/sale/supply/readNodeStats.ts'
import { readDailyRate } from '#api/rewards/rates/readDailyRate.ts'
import { setRequestId } from '#api/platform/http/requestId.ts'
import { routePublicAnswer } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { describeConfig } from '#api/sale/settings/describeConfig.ts'
import { nodePriceOf, readSettings } from '#api/sale/settings/readSettings.ts'
import { type Answer, answerOf, sendAnswer } from './Answer.ts'
import { ReplicaAge } from './ReplicaAge.ts'
import { type ReadStatus, StatusAnswer } from './StatusAnswer.ts'

/** The endpoints with the same answer for every caller, besides the node pages and the status. */
const endpoints = [getNodeStats, getNodeSettings, listSystemSettings, getConfig] as const

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The interval for reading the node pages, in milliseconds. They are more expensive to read, and payments do not depend on them. */
export const NODE_PAGES_INTERVAL = 10 * SECOND

/** Figures that are older, in milliseconds, are read from the primary if it answers. */
const MAX_LAG = 2 * SECOND

/**
 * Answers the public endpoints from memory. The data is read from the database once a second for all callers, and again after each change
 * notification.
 */
export class PublicAnswers {
  readonly #services: Pick<Services, 'clock' | 'config' | 'events' | 'orm' | 'replica'>
  /** By path. */
  readonly #answers = new Map<string, Answer>()
  /** By path. Separate from `#answers`, because the rendered pages do not need them. */
  readonly #nodePages = new Map<string, Answer>()
  readonly #counts = new Map<string, number>()
  readonly #status: StatusAnswer
  readonly #replicaAge: ReplicaAge | undefined
  #nodePagesReadAt = -Infinity
  #refreshing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #nodeStats: NodeStats | undefined
  /** The time whose changes the answers have. */
  #asOf = -Infinity

  constructor(
    services: Pick<Services, 'clock' | 'config' | 'events' | 'orm' | 'replica'>,
    { readStatus }: { readStatus: ReadStatus },
  ) {
    this.#services = services
    this.#status = new StatusAnswer(services, readStatus)
    const { orm, replica } = services
    if (replica) this.#replicaAge = new ReplicaAge({ orm, replica })
  }

  async start(): Promise<void> {
    this.#putConfig()
    await Promise.all([this.refresh(), this.#status.start()])
    const watched = new Set<string>(endpoints.map(({ path }) => path))
    this.#services.events.prepare(({ all }) => (all.some((key) => watched.has(key)) ? this.#readChange(all) : undefined))
    this.#timer = setInterval(() => {
      this.#putConfig()
      void this.refresh()
    }, SECOND)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#status.stop()
    await this.#refreshing
  }

  /** Reads all answers. The last ones remain while the database is unavailable. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read()
      .catch(() => {})
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  /** Waits for a running read first, because it may have started before the change. */
  async #readChange(keys: readonly string[]): Promise<Pick<ChangeMessage, 'nodeStats'>> {
    await this.#replicaAge?.requireNow()
    await this.#refreshing
    await this.refresh()
    return keys.includes(getNodeStats.path) ? { nodeStats: this.#nodeStats } : {}
  }

  /** Comes before sessions, bodies and limits, which these answers do not need. A router would halve the rate (decisions/0028). */
  middleware(): Middleware {
    return (ctx, next) => {
      const answer = this.#find(ctx.path)
      if (!answer || !reading.has(ctx.method)) return next()
      if (ctx.method !== 'OPTIONS') this.#counts.set(answer.route, (this.#counts.get(answer.route) ?? 0) + 1)
      setRequestId(ctx)
      sendAnswer(ctx, answer)
    }
  }

  #find(path: string): Answer | undefined {
    return this.#answers.get(path) ?? this.#nodePages.get(path) ?? (path === getStatus.path ? this.#status.answer : undefined)
  }

  /** All current answers by path, and their version. */
  snapshot(): { version: string; answers: Record<string, string> } {
    const answers = [...this.#answers]
    return {
      version: answers.map(([, { headers }]) => headers.ETag).join(),
      answers: Object.fromEntries(answers.map(([path, { body }]) => [path, body])),
    }
  }

  /** Counts the responses of each endpoint. */
  countAnswers(): ReadonlyMap<string, number> {
    return this.#counts
  }

  /** Reads from the replica if it is recent and has all changes that pages were notified of, or if the primary is away. */
  async #read(): Promise<void> {
    const { orm, replica } = this.#services
    const age = this.#replicaAge
    const now = Date.now()
    // The clock of the machine was set back: compared with the times noted before, every read would be older than the answers.
    if (now < this.#asOf) this.#forgetTimes()
    if (!replica || !age) return this.#readFrom(orm, now)
    await age.notePosition()
    const { asOf, hasCaughtUp } = await age.read(now)
    if (asOf !== undefined && hasCaughtUp && now - asOf <= MAX_LAG)
      return this.#readFrom(replica, asOf).catch(() => this.#readFrom(orm, now))
    await this.#readFrom(orm, now).catch((error: unknown) => {
      if (asOf === undefined) throw error
      return this.#readFrom(replica, asOf)
    })
  }

  #forgetTimes(): void {
    this.#asOf = -Infinity
    this.#replicaAge?.forgetPositions()
    this.#nodePagesReadAt = -Infinity
  }

  /** @param asOf the time whose changes the database has. */
  async #readFrom(orm: MikroORM, asOf: number): Promise<void> {
    const em = orm.em.fork()
    const stats = await readNodeStats(em)
    const settings = {
      ...(await readSettings(em)),
      xcr_per_node_daily: formatAmount(await readDailyRate(em, this.#services.clock.productNow())),
    }
    // A standby may be chosen after a newer one was read.
    if (asOf < this.#asOf) return
    this.#asOf = asOf
    this.#nodeStats = stats
    // A page need not request the figures after its stream has opened.
    this.#services.events.openWith({ keys: [], nodeStats: stats })
    this.#put(getNodeStats, stats)
    this.#put(getNodeSettings, { nodePrice: nodePriceOf(settings), totalLimit: stats.total })
    this.#put(
      listSystemSettings,
      settingKeys.map((key) => ({ key, value: settings[key] })),
    )
    await this.#readNodePages(em, stats.total)
  }

  async #readNodePages(em: EntityManager, total: number): Promise<void> {
    const now = this.#services.clock.now().getTime()
    if (now - this.#nodePagesReadAt < NODE_PAGES_INTERVAL) return
    const pages = await readNodePages(em, total)
    this.#nodePagesReadAt = now
    for (const [page, runs] of pages.entries())
      this.#nodePages.set(
        getNodePage.path.replace(':page', String(page)),
        answerOf(getNodePage, runs, NODE_PAGES_INTERVAL, this.#asOf),
      )
  }

  /** Contains the clocks. Updated without the database, because pages that open while it is unavailable need the current time. */
  #putConfig(): void {
    const { config, clock } = this.#services
    this.#answers.set(getConfig.path, answerOf(getConfig, describeConfig(config, clock), SECOND, Date.now()))
  }

  #put<E extends (typeof endpoints)[number]>(endpoint: E, value: Output<E>): void {
    this.#answers.set(endpoint.path, answerOf(endpoint, value, SECOND, this.#asOf))
  }
}

/** Their routes; the middleware answers before the router does. */
export function publicAnswerRoutes(router: Router): void {
  for (const endpoint of [...endpoints, getNodePage, getStatus]) routePublicAnswer(router, endpoint)
}
