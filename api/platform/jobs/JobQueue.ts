import type { EntityManager } from '@mikro-orm/postgresql'
import { createRequire } from 'node:module'
import type { PgBoss } from 'pg-boss'
import { z } from 'zod'
import { MINUTE } from '#shared/dates.ts'
import { connectionOptions } from '../db/connectionOptions.ts'

/** The queue's own statements are short; one of them deletes old jobs. In milliseconds. */
const ANSWER_TIMEOUT = MINUTE

/** A job's name and payload type, which suffice to enqueue it. */
export interface JobName<S extends z.ZodType = z.ZodType> {
  name: string
  payload: S
  /** Jobs of a higher priority run before waiting ones of a lower; 0 by default. */
  priority?: number
}

export interface JobQueueOptions {
  /** Whether this process maintains the queue, as workers do. */
  supervise?: boolean
  /** The pool size of supervising processes; others use two connections. */
  poolSize?: number
  onError: (error: unknown) => void
}

/** The job queue in PostgreSQL. Jobs are enqueued in the transaction that causes them. */
export class JobQueue {
  readonly #url: string
  readonly #options: JobQueueOptions
  #boss: Promise<PgBoss> | undefined

  constructor(url: string, options: JobQueueOptions) {
    this.#url = url
    this.#options = options
  }

  /** Connects on first use, because most web processes rarely enqueue jobs. */
  start(): Promise<PgBoss> {
    this.#boss ??= this.#connect().catch((error: unknown) => {
      this.#boss = undefined
      throw error
    })
    return this.#boss
  }

  async stop(): Promise<void> {
    const boss = await this.#boss
    await boss?.stop({ graceful: true, close: true, timeout: 2_000 })
  }

  /** Enqueues jobs in the caller's transaction, so that they exist if and only if their cause does. */
  async enqueue<S extends z.ZodType>(em: EntityManager, job: JobName<S>, ...payloads: z.input<S>[]): Promise<void> {
    await em.flush()
    const transaction = em.getTransactionContext()
    if (!transaction) throw new Error(`The job ${job.name} must be enqueued in the transaction of its cause.`)
    const { fromKysely } = await import('pg-boss')
    const boss = await this.start()
    await boss.insert(
      job.name,
      payloads.map((payload) => ({ data: z.encode(job.payload, payload as z.output<S>) as object, priority: job.priority ?? 0 })),
      { db: fromKysely(transaction as never) },
    )
  }

  async #connect(): Promise<PgBoss> {
    const { PgBoss } = await import('pg-boss')
    const { supervise = false, poolSize = 6, onError } = this.#options
    const boss = new PgBoss({
      ...connectionOptions(this.#url, { answerTimeout: ANSWER_TIMEOUT }),
      max: supervise ? poolSize : 2,
      supervise,
      schedule: supervise,
      // `prepareJobTables` creates the tables. Without this option, pg-boss refuses tables that a newer release has migrated.
      migrate: true,
    })
    boss.on('error', onError)
    await boss.start()
    return boss
  }
}

/** The schema version of the queue's tables in this release. */
export const jobTablesVersion = (): number =>
  (createRequire(import.meta.url)('pg-boss/package.json') as { pgboss: { schema: number } }).pgboss.schema

/** Creates the queue's tables before the roles start. */
export async function prepareJobTables(url: string, jobNames: readonly string[]): Promise<void> {
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({ ...connectionOptions(url), max: 2, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  for (const name of jobNames)
    await boss.createQueue(name, { retryLimit: 20, retryDelay: 2, retryBackoff: true, deleteAfterSeconds: 86_400 })
  await boss.stop({ graceful: false, close: true })
}
