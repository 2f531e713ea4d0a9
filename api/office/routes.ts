import type Router from '@koa/router'
import type { Services } from '#api/platform/services.ts'
import { administratorRoutes } from './routes/administratorRoutes.ts'
import { announcementRoutes } from './routes/announcementRoutes.ts'
import { auditRoutes } from './routes/auditRoutes.ts'
import { bookRoutes } from './routes/bookRoutes.ts'
import { bonusRoutes } from './routes/bonusRoutes.ts'
import { credentialRoutes } from './routes/credentialRoutes.ts'
import { depositRoutes } from './routes/depositRoutes.ts'
import { findRoutes } from './routes/findRoutes.ts'
import { incidentRoutes } from './routes/incidentRoutes.ts'
import { ipAccessRoutes } from './routes/ipAccessRoutes.ts'
import { loginRoutes } from './routes/loginRoutes.ts'
import { officeRoutes } from './routes/officeRoutes.ts'
import { otpRoutes } from './routes/otpRoutes.ts'
import { passkeyRoutes } from './routes/passkeyRoutes.ts'
import { personRoutes } from './routes/personRoutes.ts'
import { proposalRoutes } from './routes/proposalRoutes.ts'
import { purchaseRoutes } from './routes/purchaseRoutes.ts'
import { userRoutes } from './routes/userRoutes.ts'
import { withdrawalRoutes } from './routes/withdrawalRoutes.ts'

/** The back office: all routes under `/api/admin/`. `guardAdminAddress` runs before them. */
export function adminRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits' | 'orm'>): void {
  for (const register of [
    administratorRoutes,
    announcementRoutes,
    auditRoutes,
    bonusRoutes,
    bookRoutes,
    credentialRoutes,
    depositRoutes,
    findRoutes,
    incidentRoutes,
    ipAccessRoutes,
    loginRoutes,
    officeRoutes,
    otpRoutes,
    passkeyRoutes,
    personRoutes,
    proposalRoutes,
    purchaseRoutes,
    userRoutes,
    withdrawalRoutes,
  ])
    register(router, services)
}
