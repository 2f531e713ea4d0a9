import { createClock } from '#api/platform/clock/createClock.ts'
import { directUrlOf, readConfig } from '#api/platform/config.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import type { CommandServices, OperatorContext } from './OperatorCommand.ts'

/** Runs a command's work with the services that it needs beside the database. */
export async function withServices<Result>(
  { orm, env, demo }: OperatorContext,
  work: (services: CommandServices) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(env, { demo })
  const jobs = new JobQueue(directUrlOf(config), { onError: console.error })
  const clock = await createClock(orm, config)
  try {
    return await work({ orm, config, clock, jobs })
  } finally {
    await clock.stop()
    await jobs.stop()
  }
}
