import type { EntityManager } from '@mikro-orm/postgresql'
import { fromKysely, PgBoss } from 'pg-boss'
import { z } from 'zod'

/** What a job is called and told; enough to ask for it. */
export interface JobName<S extends z.ZodType = z.ZodType> {
  name: string
  payload: S
}

/** Where jobs wait: in PostgreSQL, written in the transaction of their cause. */
export class JobQueue {
  readonly boss: PgBoss

  /** @param supervise whether this process also keeps the queue tidy (workers do). */
  constructor(url: string, { supervise = false, onError }: { supervise?: boolean; onError: (error: unknown) => void }) {
    this.boss = new PgBoss({ connectionString: url, max: supervise ? 6 : 2, supervise, schedule: supervise, migrate: supervise })
    this.boss.on('error', onError)
  }

  async start(): Promise<void> {
    await this.boss.start()
  }

  async stop(): Promise<void> {
    await this.boss.stop({ graceful: true, close: true, timeout: 5_000 })
  }

  /** Adds a job in the caller's transaction: it exists if and only if what caused it does. */
  async enqueue<S extends z.ZodType>(em: EntityManager, job: JobName<S>, payload: z.input<S>): Promise<void> {
    await em.flush()
    const transaction = em.getTransactionContext()
    if (!transaction) throw new Error(`The job ${job.name} must be enqueued in the transaction of its cause.`)
    await this.boss.send(job.name, z.encode(job.payload, payload as z.output<S>) as object, {
      db: fromKysely(transaction as never),
    })
  }
}

/** The queues' tables, made ahead of the roles. */
export async function prepareJobTables(url: string, jobNames: readonly string[]): Promise<void> {
  const boss = new PgBoss({ connectionString: url, max: 2, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  for (const name of jobNames)
    await boss.createQueue(name, { retryLimit: 20, retryDelay: 2, retryBackoff: true, deleteAfterSeconds: 86_400 })
  await boss.stop({ graceful: false, close: true })
}
