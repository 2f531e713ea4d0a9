import type { EntityManager } from '@mikro-orm/postgresql'
import type { listAdministrators as contract } from '#shared/contract/admin/administrators.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import { readSecondFactors } from '../administrators/readSecondFactors.ts'

/** Those who may log in, and the invitations that still work. */
export async function listAdministrators(em: EntityManager, { now }: { now: Date }): Promise<Output<typeof contract>> {
  const rows = await query(em)
    .selectFrom('administrators as a')
    .select(['a.id', 'a.username', 'a.email', 'a.role', 'a.createdAt'])
    .select((eb) =>
      eb
        .selectFrom('web_sessions as s')
        .select((eb) => eb.fn.max('s.lastSeenAt').as('at'))
        .where('s.realm', '=', 'admin')
        .whereRef('s.accountId', '=', 'a.id')
        .as('lastSeenAt'),
    )
    .where('a.removedAt', 'is', null)
    .orderBy('a.createdAt')
    .orderBy('a.id')
    .execute()
  const administrators = []
  for (const row of rows)
    administrators.push({ ...row, lastSeenAt: row.lastSeenAt ?? null, factors: (await readSecondFactors(em, row.id)).factors })
  const invitations = await query(em)
    .selectFrom('admin_invitations as i')
    .innerJoin('administrators as a', 'a.id', 'i.invitedBy')
    .select(['i.id', 'i.email', 'i.role', 'i.expiresAt', 'a.username as invitedBy'])
    .where('i.acceptedAt', 'is', null)
    .where('i.revokedAt', 'is', null)
    .where('i.expiresAt', '>', now)
    .orderBy('i.createdAt')
    .execute()
  return { administrators, invitations }
}
