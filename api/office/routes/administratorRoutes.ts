import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/administrators.ts'
import { hashPassword } from '#api/accounts/identity/hashPassword.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { acceptInvitation, requireInvitation } from '../administrators/acceptInvitation.ts'
import { changeRole, removeAdministrator } from '../administrators/changeRole.ts'
import { inviteAdministrator } from '../administrators/inviteAdministrator.ts'
import { tellOfAdministrators } from '../administrators/tellOfAdministrators.ts'
import { listAdministrators } from '../lists/listAdministrators.ts'
import { routeDecision } from '../proposals/routeDecision.ts'

/** The administrators themselves: who they are, who joins, what they may do. */
export function administratorRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock } = services

  route(router, contract.listAdministrators, ({ em }) => listAdministrators(em, { now: clock.now() }))

  routeDecision(router, services, contract.inviteAdministrator, {
    isAlwaysProven: true,
    async execute({ em, actor, body, clientAddress }) {
      await inviteAdministrator(em, services, {
        email: body.email,
        role: body.role,
        invitedBy: actor,
        clientAddress,
        now: clock.now(),
      })
      return { message: 'The invitation is sent.' }
    },
  })

  route(router, contract.revokeInvitation, async ({ em, actor, params, clientAddress }) => {
    const revoked = await query(em)
      .updateTable('admin_invitations')
      .set({ revokedAt: clock.now() })
      .where('id', '=', params.id)
      .where('acceptedAt', 'is', null)
      .where('revokedAt', 'is', null)
      .returning(['email', 'role'])
      .executeTakeFirst()
    if (!revoked) throw refusal(404, 'not_found', 'There is no such open invitation.')
    await tellOfAdministrators(em)
    recordAudit(em, {
      actor: `admin:${actor.name}`,
      action: 'admin.invitation_revoke',
      target: revoked.email,
      ipAddress: clientAddress,
      before: { role: revoked.role },
    })
    return { message: 'The invitation is withdrawn.' }
  })

  routeDecision(router, services, contract.changeAdministrator, {
    isAlwaysProven: true,
    async execute({ em, actor, params, body, clientAddress }) {
      const { role, replaces } = body
      const change = { administratorId: params.id, role, replaces, actor: `admin:${actor.name}`, clientAddress }
      const refused = await changeRole(em, change)
      return refused ?? { message: 'The role is changed.' }
    },
  })

  routeDecision(router, services, contract.removeAdministrator, {
    isAlwaysProven: true,
    async execute({ em, actor, params, clientAddress }) {
      const removal = { administratorId: params.id, actor: `admin:${actor.name}`, clientAddress, now: clock.now() }
      const refused = await removeAdministrator(em, removal)
      return refused ?? { message: 'The administrator is removed.' }
    },
  })

  route(router, contract.acceptInvitation, {
    async prepare({ em, body: { token, password } }) {
      // Hashing is slow, so only for a link that works.
      await requireInvitation(em, { token, now: clock.now() })
      return hashPassword(password)
    },
    async handle({ em, body: { token, username }, clientAddress, prepared: passwordHash }) {
      const joined = await acceptInvitation(em, services, { token, username, passwordHash, clientAddress, now: clock.now() })
      return { ...joined, message: 'You have joined. Please log in.' }
    },
  })
}
