import { MikroORM } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { SECOND } from '#shared/dates.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { createChainClient } from '#api/platform/chain/createChainClient.ts'
import { createPaymentChainClient } from '#api/platform/chain/createPaymentChainClient.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { createClock, type RunningClock } from '#api/platform/clock/createClock.ts'
import { type Config, directUrlOf } from '#api/platform/config.ts'
import { checkEncryptionKey } from '#api/accounts/otp/checkEncryptionKey.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { untilUnused } from '#api/platform/db/untilUnused.ts'
import { prepareDatabase } from '#api/entities/prepareDatabase.ts'
import { EventHub } from '#api/platform/events/EventHub.ts'
import { StreamSlots } from '#api/platform/events/StreamSlots.ts'
import { createRateLimiter } from '#api/platform/http/limitRate.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import { jobs } from './schedule.ts'
import { createMailTransport } from '#api/platform/mail/mailTransport.ts'
import { createPushTransport } from '#api/platform/push/pushTransport.ts'
import type { Services } from '#api/platform/services.ts'

export type RunningServices = Services & { clock: RunningClock; stop(): Promise<void> }

/** How many times as long as visitors' statements those of workers and watchers may take: they work through whole tables. */
const WORKER_TIMEOUT_FACTOR = 8
/** The public figures are read once a second. In milliseconds. */
const REPLICA_TIMEOUT = 5 * SECOND

interface ServiceOptions {
  worker: boolean
  /** Whether the process only answers visitors, who wait for every statement. */
  onlyWeb?: boolean
  onError: (error: unknown) => void
  /** Services that the caller stops, of which it connects `events`. Those missing are created. */
  shared?: Partial<Pick<Services, 'orm' | 'jobs' | 'limits' | 'events'>>
}

/** Migrates the database and creates the services that the roles share. */
export async function createServices(
  config: Config,
  { worker, onlyWeb = false, onError, shared = {} }: ServiceOptions,
): Promise<RunningServices> {
  const directUrl = directUrlOf(config)
  const answerTimeout = config.DATABASE_ANSWER_TIMEOUT * SECOND
  const pools: Pool[] = []
  const onPoolCreated = (pool: Pool) => void pools.push(pool)
  const orm =
    shared.orm ??
    new MikroORM(
      ormOptions({
        url: config.DATABASE_URL,
        poolSize: config.DATABASE_POOL_SIZE,
        answerTimeout: onlyWeb ? answerTimeout : WORKER_TIMEOUT_FACTOR * answerTimeout,
        onPoolCreated,
      }),
    )
  try {
    await prepareDatabase(orm, { config, directUrl, jobNames: jobs.map(({ name }) => name) })
    await checkEncryptionKey(orm.em.fork(), config.ENCRYPTION_KEY)
  } catch (error) {
    if (!shared.orm) await orm.close(true)
    throw error
  }
  const clock = await createClock(orm, config)
  // One connection is enough: one process sends its queries sequentially, once a second.
  const replica = config.DATABASE_REPLICA_URL
    ? new MikroORM(ormOptions({ url: config.DATABASE_REPLICA_URL, poolSize: 1, answerTimeout: REPLICA_TIMEOUT, onPoolCreated }))
    : undefined
  const queue = shared.jobs ?? new JobQueue(directUrl, { supervise: worker, poolSize: config.JOB_POOL_SIZE, onError })
  const events = shared.events ?? new EventHub()
  // Refreshes the clock before pages learn that it was moved, because they then fetch data that depends on it.
  events.prepare(({ all }) => (all.includes(getConfig.path) ? clock.refresh().catch(() => {}) : undefined))
  if (!shared.events) events.connect(directUrl)
  const streams = new StreamSlots(orm)
  const limits =
    shared.limits ??
    createRateLimiter({
      url: config.DATABASE_URL,
      production: config.production,
      poolSize: config.LIMIT_POOL_SIZE,
      answerTimeout,
      ...(config.RATE_LIMITS && { overrides: config.RATE_LIMITS }),
    })
  const mail = createMailTransport(config)
  return {
    config,
    orm,
    ...(replica && { replica }),
    clock,
    events,
    streams,
    jobs: queue,
    limits,
    mail,
    ...(config.push && { push: createPushTransport(config.push) }),
    paymentChain: createPaymentChainClient(paymentEndpoints(config), config.USDT_ADDRESS),
    rewardChain: createChainClient(rewardEndpoints(config)),
    async stop() {
      await clock.stop()
      mail.stop()
      if (!shared.events) await events.stop()
      await streams.stop()
      if (!shared.jobs) await queue.stop()
      if (!shared.limits) await limits.stop()
      await untilUnused(pools)
      await replica?.close(true)
      if (!shared.orm) await orm.close(true)
    },
  }
}
