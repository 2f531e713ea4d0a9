import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { lockOf, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'

const ACTION = 'user.view'

/** A view within this time of the last recorded one belongs to it: the parts of a page are read one by one. */
const VIEW_DURATION = 10 * MINUTE

export interface View {
  /** The account whose details an administrator sees. */
  email: string
  actor: string
  clientAddress: string
}

/** Held while an administrator's view of an account is recorded. */
export const viewLock = ({ email, actor }: Pick<View, 'email' | 'actor'>) => lockOf(`${actor} ${email}`, 12)

/** Records that an administrator looks at an account's details, before they are sent. */
export async function recordView(em: EntityManager, { email, actor, clientAddress }: View): Promise<void> {
  if (await isRecorded(em, { email, actor, clientAddress })) return
  await em.transactional(async (em) => {
    // The parts are requested at once, and one of them records the view.
    await lockUntilCommit(em, viewLock({ email, actor }))
    if (await isRecorded(em, { email, actor, clientAddress })) return
    recordAudit(em, { actor, action: ACTION, target: email, ipAddress: clientAddress })
  })
}

async function isRecorded(em: EntityManager, { email, actor, clientAddress }: View): Promise<boolean> {
  const last = await query(em)
    .selectFrom('audit_entries')
    .select('id')
    .where('target', '=', email)
    .where('actor', '=', actor)
    .where('action', '=', ACTION)
    .where('ipAddress', '=', clientAddress)
    .where('at', '>', new Date(Date.now() - VIEW_DURATION))
    .limit(1)
    .executeTakeFirst()
  return last !== undefined
}
