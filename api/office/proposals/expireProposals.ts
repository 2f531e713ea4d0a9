import type { EntityManager } from '@mikro-orm/postgresql'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'

/** Closes proposals that nobody has decided in time. */
export const expireProposals: Sweep<'clock' | 'orm'> = {
  name: 'expire-proposals',
  everySeconds: 60,
  run: ({ orm, clock }) => orm.em.fork().transactional((em) => closeExpired(em, { now: clock.now() })),
}

/** @param only limits this to a person's proposals of the same call; by default all are closed. */
export async function closeExpired(
  em: EntityManager,
  { now, only }: { now: Date; only?: { proposedBy: string; hash: string } },
): Promise<void> {
  const expired = await query(em)
    .updateTable('proposals')
    .set({ state: 'expired', decidedAt: now })
    .where('state', '=', 'open')
    .where('expiresAt', '<=', now)
    .$if(only !== undefined, (it) => it.where('proposedBy', '=', only!.proposedBy).where('hash', '=', only!.hash))
    .returning(['id', 'action', 'target'])
    .execute()
  for (const { id, action, target } of expired)
    recordAudit(em, { actor: 'system', action: 'proposal.expire', target: target ?? action, after: { proposal: id, action } })
  if (expired.length > 0) await recordChange(em, { keys: [getWaiting.path, listProposals.path] })
}
