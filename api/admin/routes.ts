import type Router from '@koa/router'
import type { Services } from '../services.ts'
import { auditRoutes } from './auditRoutes.ts'
import { bonusRoutes } from './bonusRoutes.ts'
import { credentialRoutes } from './credentialRoutes.ts'
import { depositRoutes } from './depositRoutes.ts'
import { ipAccessRoutes } from './ipAccessRoutes.ts'
import { loginRoutes } from './loginRoutes.ts'
import { officeRoutes } from './officeRoutes.ts'
import { otpRoutes } from './otpRoutes.ts'
import { purchaseRoutes } from './purchaseRoutes.ts'
import { userRoutes } from './userRoutes.ts'
import { withdrawalRoutes } from './withdrawalRoutes.ts'

/** The back office: everything under `/api/admin/`. `guardAdminAddress` stands before all of it. */
export function adminRoutes(router: Router, services: Services): void {
  for (const register of [
    auditRoutes,
    bonusRoutes,
    credentialRoutes,
    depositRoutes,
    ipAccessRoutes,
    loginRoutes,
    officeRoutes,
    otpRoutes,
    purchaseRoutes,
    userRoutes,
    withdrawalRoutes,
  ])
    register(router, services)
}
