import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { SECOND } from '#shared/dates.ts'
import type { Services } from '../services.ts'
import { createSweepRecord } from './createSweepRecord.ts'
import { type Job, type Sweep, TryLater } from './defineJob.ts'
import { throttleErrors } from './throttleErrors.ts'

/** All background work. */
export interface Schedule {
  jobs: readonly Job[]
  sweeps: readonly Sweep[]
  /** Runs in the transaction that records that a sweep fails, or no longer fails. */
  onTurn?: (em: EntityManager) => Promise<void>
}

/** Runs jobs and sweeps. Any number of workers may run concurrently. */
export async function runWorker(
  services: Services,
  { jobs, sweeps, onTurn }: Schedule,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  const boss = await services.jobs.start()
  for (const job of jobs) {
    await boss.work(job.name, { batchSize: 5, pollingIntervalSeconds: 0.5 }, async (batch) => {
      for (const { data } of batch) await job.run(z.decode(job.payload, data as never), services)
    })
  }

  const running = sweeps.map((sweep) => {
    let stopped = false
    let timer: NodeJS.Timeout
    let working: Promise<void> = Promise.resolve()
    const record = createSweepRecord(services, sweep, onTurn)
    const report = throttleErrors(onError)
    const tick = (isFirst: boolean) => {
      let pause = sweep.everySeconds
      working = sweep
        .run(services, isFirst)
        .then(
          () => record(),
          (error: unknown) => {
            if (error instanceof TryLater) pause = error.seconds
            report(error)
            return record({ error })
          },
        )
        .catch(onError)
        .then(() => {
          if (!stopped) timer = setTimeout(() => tick(false), pause * SECOND)
        })
    }
    tick(true)
    return async () => {
      stopped = true
      clearTimeout(timer)
      await working
    }
  })
  return {
    async stop() {
      // Finishes running jobs and sweeps without starting new ones.
      await Promise.all([...jobs.map(({ name }) => boss.offWork(name)), ...running.map((stop) => stop())])
    },
  }
}
