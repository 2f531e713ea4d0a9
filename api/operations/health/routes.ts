import type Router from '@koa/router'
import { getHealth } from '#shared/contract/admin/office.ts'
import { route } from '#api/platform/http/route.ts'
import type { Schedule } from '#api/platform/jobs/runWorker.ts'
import type { Services } from '#api/platform/services.ts'
import { createHealthChecks } from './createHealthChecks.ts'

/** The endpoint of the panel's health tab. */
export function healthRoutes(router: Router, services: Pick<Services, 'clock' | 'config'>, schedule: Schedule): void {
  const readHealth = createHealthChecks(services, schedule)
  route(router, getHealth, async ({ em }) => ({ at: services.clock.now(), checks: await readHealth(em) }))
}
