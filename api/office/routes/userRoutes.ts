import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/users.ts'
import { freezeAccount } from '#api/accounts/freezes/freezeAccount.ts'
import { thawNow } from '#api/accounts/freezes/thawAccount.ts'
import { route } from '#api/platform/http/route.ts'
import { generateTemporaryPassword } from '#api/accounts/identity/generateTemporaryPassword.ts'
import { hashPassword } from '#api/accounts/identity/hashPassword.ts'
import type { Services } from '#api/platform/services.ts'
import { cancelOtpReset, planOtpReset, requireOtp } from '#api/accounts/otp/planOtpReset.ts'
import { resetOtp } from '#api/accounts/otp/resetOtp.ts'
import { refusal } from '#api/platform/errors.ts'
import { routeDecision } from '../proposals/routeDecision.ts'
import { exportUsers } from '../exports/exportUsers.ts'
import { routeExport } from '../exports/routeExport.ts'
import { viewUser } from './personRoutes.ts'
import { listUsers, summarizeUsers } from '../lists/listUsers.ts'
import { readXcrDetails } from '../lists/readXcrDetails.ts'
import { requireUser, resetUserPassword } from '#api/accounts/identity/resetUserPassword.ts'

export function userRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
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

  route(router, contract.freezeUser, async ({ em, actor, params, body: { reason }, clientAddress }) => {
    const { id: userId } = await requireUser(em, params.id)
    const freeze = { userId, actor: `admin:${actor.name}`, reason, clientAddress, now: clock.now() }
    const { signed } = await freezeAccount(em, services, freeze)
    if (signed.length === 0) return { message: 'No withdrawal is on its way.' }
    return { message: `Withdrawals that are signed already and will be paid: ${signed.length}.` }
  })

  route(router, contract.thawUser, async ({ em, actor, params, body: { reason }, clientAddress }) => {
    const user = await requireUser(em, params.id)
    await thawNow(em, services, { user, actor: `admin:${actor.name}`, reason, clientAddress, now: clock.now() })
    return { message: 'Withdrawals are on hold for 24 hours.' }
  })

  routeDecision(router, services, contract.resetUserAuthenticator, {
    isAlwaysProven: true,
    async execute({ em, actor, params, body: { reason }, clientAddress, isApproved }) {
      const user = await requireUser(em, params.id)
      const asked = { user, actor: `admin:${actor.name}`, reason, clientAddress, now: clock.now() }
      if (!isApproved) {
        const resetsAt = await planOtpReset(em, services, asked)
        return { message: 'The authenticator will be removed in 24 hours. The user is notified.', resetsAt }
      }
      await requireOtp(em, user.id)
      await resetOtp(em, services, asked)
      return { message: 'The authenticator is removed. The user is notified.', resetsAt: null }
    },
  })

  route(router, contract.cancelAuthenticatorReset, async ({ em, actor, params, clientAddress }) => {
    const user = await requireUser(em, params.id)
    if (!(await cancelOtpReset(em, { user, actor: `admin:${actor.name}`, clientAddress })))
      throw refusal(404, 'not_found', 'No removal of the authenticator is planned.')
    return { message: 'The authenticator stays.' }
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
