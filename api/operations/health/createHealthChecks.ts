import type { Schedule } from '#api/platform/jobs/runWorker.ts'
import type { Services } from '#api/platform/services.ts'
import { chainHealth } from './chainHealth.ts'
import type { HealthSource } from './HealthSource.ts'
import { leaderHealth } from './leaderHealth.ts'
import { bookHealth, depositHealth, reviewHealth } from './moneyHealth.ts'
import { payoutHealth } from './payoutHealth.ts'
import { registerHealth } from './registerHealth.ts'
import { mailHealth, pushHealth, queueHealth, rewardHealth, sweepHealth } from './workHealth.ts'

/** Runs all checks concurrently. */
export function createHealthChecks(services: Pick<Services, 'clock' | 'config'>, schedule: Schedule): HealthSource {
  const sources = [
    bookHealth(services),
    depositHealth(services),
    reviewHealth(services),
    chainHealth(services),
    payoutHealth(services),
    leaderHealth(),
    rewardHealth(services),
    registerHealth(services),
    mailHealth(services),
    pushHealth(services),
    queueHealth(services, schedule),
    sweepHealth(services, schedule),
  ]
  return async (em) => (await Promise.all(sources.map((read) => read(em.fork())))).flat()
}
