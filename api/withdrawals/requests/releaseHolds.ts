import { sql } from 'kysely'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { hasFrozenAccount } from '#api/accounts/users/frozen.ts'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'

const BATCH_SIZE = 500

/**
 * Releases held withdrawals for payout when their hold is over, in real time (money.md 17). Those for which a person decides stay in
 * review, and those of frozen accounts on hold (39).
 */
export const releaseHolds: Sweep<'clock' | 'orm'> = {
  name: 'release-holds',
  everySeconds: 15,
  async run({ orm, clock }) {
    let released: number
    do {
      released = await orm.em.fork().transactional(async (em) => {
        const now = await clock.dueNow(em)
        // A row that somebody is deciding on is left to the next run.
        const due = await query(em)
          .selectFrom('withdrawals as w')
          .select(['w.id', 'w.user', 'w.heldUntil'])
          .where('w.status', '=', 'manual_review')
          .where('w.reviewReason', '=', 'recent_change')
          .where('w.heldUntil', '<=', now)
          .where((eb) => eb.not(hasFrozenAccount(now)(eb)))
          .orderBy('w.id')
          .limit(BATCH_SIZE)
          .forUpdate()
          .skipLocked()
          .execute()
        if (due.length === 0) return 0
        const ids = due.map(({ id }) => id)
        await query(em)
          .updateTable('withdrawals')
          .set({ status: 'pending', reviewReason: null })
          .where('id', '=', sql<string>`any(${ids}::uuid[])`)
          .execute()
        for (const { id, heldUntil } of due)
          recordAudit(em, { actor: 'system', action: 'withdrawal.release', target: `withdrawal:${id}`, before: { heldUntil } })
        await recordWithdrawalChanges(em, [...new Set(due.map(({ user }) => user))])
        return due.length
      })
    } while (released === BATCH_SIZE)
  },
}
