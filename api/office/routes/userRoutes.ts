import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/users.ts'
import { thawNow } from '#api/accounts/freezes/thawAccount.ts'
import { route } from '#api/platform/http/route.ts'
import { generateTemporaryPassword } from '#api/accounts/identity/generateTemporaryPassword.ts'
import { hashPassword } from '#api/accounts/identity/hashPassword.ts'
import type { Services } from '#api/platform/services.ts'
import { exportUsers } from '../exports/exportUsers.ts'
import { routeExport } from '../exports/routeExport.ts'
import { viewUser } from './personRoutes.ts'
import { listUsers, summarizeUsers } from '../lists/listUsers.ts'
import { readXcrDetails } from '../lists/readXcrDetails.ts'
import { requireUser, resetUserPassword } from '#api/accounts/identity/resetUserPassword.ts'

export function userRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs'>): void {
  const { clock } = services
  route(router, contract.listUsers, ({ em, query }) => listUsers(em, { ...query, now: clock.now() }))
  route(router, contract.searchUsers, ({ em, query }) => listUsers(em, { ...query, now: clock.now() }))
  route(router, contract.summarizeUsers, ({ em, query }) => summarizeUsers(em, { ...query, now: clock.now() }))
  routeExport(router, contract.exportUsers, { file: 'users', clock }, (em, query) =>
    exportUsers(em, { ...query, now: clock.now() }),
  )
  route(router, contract.getXcrDetails, async (request) => {
    await viewUser(request)
    return readXcrDetails(request.em, { userId: request.params.id, now: clock.now() })
  })

  route(router, contract.thawUser, async ({ em, actor, params, body: { reason }, clientAddress }) => {
    const user = await requireUser(em, params.id)
    await thawNow(em, services, { user, actor: `admin:${actor.name}`, reason, clientAddress, now: clock.now() })
    return { message: 'The account is thawed.' }
  })

  route(router, contract.resetUserPassword, {
    async prepare({ em, params }) {
      const user = await requireUser(em, params.id)
      const temporaryPassword = generateTemporaryPassword()
      return { user, temporaryPassword, passwordHash: await hashPassword(temporaryPassword) }
    },
    async handle({ em, actor, clientAddress, prepared: { user, temporaryPassword, passwordHash } }) {
      const reset = { user, passwordHash, actor: `admin:${actor.name}`, clientAddress, now: clock.now() }
      await resetUserPassword(em, services, reset)
      return { userEmail: user.email, temporaryPassword, message: 'A temporary password is set.' }
    },
  })
}
