import type { MikroORM } from '@mikro-orm/postgresql'
import type { Gauge, Registry } from 'prom-client'
import { SECOND } from '#shared/dates.ts'
import { readMeasures } from './readMeasures.ts'
import type { Services } from '#api/platform/services.ts'

export interface ServedRequest {
  method: string
  /** The path pattern of the contract, not the path: one label per ID would be too many. */
  route: string
  status: string
  seconds: number
}

export interface Metrics {
  observe(request: ServedRequest): void
  /** Counts defects and outages; alerts are counted separately. */
  countError(isAlert: boolean): void
  /** Returns the text in Prometheus format. */
  write(): Promise<{ type: string; text: string }>
}

export interface MetricsOptions {
  /** Absent while the database is being prepared. */
  services?: () => Pick<Services, 'events' | 'orm'> | undefined
  roles: readonly string[]
  /** Cache hits of each public endpoint, counted by the cache itself to keep hits fast. */
  countPublicAnswers?: () => ReadonlyMap<string, number>
  /** Called when the figures of the installation cannot be read. */
  onError: (error: unknown) => void
}

/** The last one is the longest allowed duration of a request. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** How long the database's figures are cached, however often they are scraped. */
const MEASURED_EVERY = 15 * SECOND

/** The metrics of the process and of the installation, for Prometheus. The library is loaded on first use. */
export function createMetrics(options: MetricsOptions): Metrics {
  let loaded: Promise<Loaded> | undefined
  const load = () => (loaded ??= loadRegistry(options))
  const errors = { error: 0, alert: 0 }
  /** Buffers calls until the library is loaded. */
  const early: ServedRequest[] = []
  let observe = (request: ServedRequest): void => {
    early.push(request)
    if (early.length > 1) return
    void load().then(({ durations }) => {
      observe = ({ method, route, status, seconds }) => durations.observe({ method, route, status }, seconds)
      for (const each of early.splice(0)) observe(each)
    })
  }

  return {
    observe: (request) => observe(request),
    countError: (isAlert) => void (errors[isAlert ? 'alert' : 'error'] += 1),
    async write() {
      const { registry, update } = await load()
      await update(errors)
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

interface Loaded {
  registry: Registry
  durations: { observe(labels: { method: string; route: string; status: string }, seconds: number): void }
  /** Updates the gauges that are not maintained by events. */
  update(errors: { error: number; alert: number }): Promise<void>
}

async function loadRegistry({ services, roles, countPublicAnswers, onError }: MetricsOptions): Promise<Loaded> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const role = new Gauge({ name: 'xcr_role', help: 'The roles of this process.', labelNames: ['role'], registers })
  for (const name of roles) role.set({ role: name }, 1)

  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests under /api except event streams, by route pattern and status; "aborted" if the client disconnected.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATIONS,
    registers,
  })
  const publicAnswers = new Counter({
    name: 'http_public_answers_total',
    help: 'Public requests served from the cache.',
    labelNames: ['route'],
    registers,
  })
  const errorCount = new Counter({
    name: 'xcr_errors_total',
    help: 'Log lines of level error since the start; alerts require action by an operator.',
    labelNames: ['kind'],
    registers,
  })
  const pool = new Gauge({
    name: 'db_pool_connections',
    help: 'Database connections of this process: used and idle ones, and requests waiting for one.',
    labelNames: ['state'],
    registers,
  })
  const streams = new Gauge({ name: 'http_event_streams', help: 'Open event streams.', registers })
  const isRead = new Gauge({
    name: 'xcr_database_read',
    help: 'Whether the figures of the installation could be read from the database; if not, they are omitted.',
    registers,
  })

  const measures = new Map<string, Gauge>()
  const readAll = rememberFor(MEASURED_EVERY, readMeasures)
  const updateMeasures = async (running: Pick<Services, 'orm'>) => {
    const read = await readAll(running).catch(onError)
    for (const gauge of measures.values()) gauge.reset()
    isRead.set(read ? 1 : 0)
    for (const { name, help, labels, value } of read ?? []) {
      const gauge = measures.get(name) ?? new Gauge({ name, help, labelNames: Object.keys(labels), registers })
      measures.set(name, gauge)
      gauge.set(labels, value)
    }
  }

  return {
    registry,
    durations,
    async update({ error, alert }) {
      errorCount.reset()
      errorCount.inc({ kind: 'error' }, error)
      errorCount.inc({ kind: 'alert' }, alert)
      publicAnswers.reset()
      for (const [route, count] of countPublicAnswers?.() ?? []) publicAnswers.inc({ route }, count)
      const running = services?.()
      if (!running) return isRead.set(0)
      for (const [state, count] of Object.entries(await readPool(running.orm))) pool.set({ state }, count)
      streams.set(running.events.countListeners())
      await updateMeasures(running)
    },
  }
}

async function readPool(orm: MikroORM): Promise<{ used: number; idle: number; waiting: number }> {
  const pool = await (
    orm.em.getConnection() as unknown as {
      getNativeClient(): Promise<{ totalCount: number; idleCount: number; waitingCount: number }>
    }
  ).getNativeClient()
  return { used: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount }
}

/** Caches a result for a while. Failures are not cached. */
function rememberFor<A, T>(milliseconds: number, read: (subject: A) => Promise<T>): (subject: A) => Promise<T> {
  let last: { value: Promise<T>; at: number } | undefined
  return (subject) => {
    if (!last || performance.now() - last.at > milliseconds) {
      const value = read(subject)
      last = { value, at: performance.now() }
      value.catch(() => (last = undefined))
    }
    return last.value
  }
}
