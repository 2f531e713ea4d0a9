import type { EntityManager } from '@mikro-orm/postgresql'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { lockNamed, tryLockWhileIdle } from '#api/platform/db/advisoryLocks.ts'
import { newId } from '#api/platform/db/newId.ts'
import { readDatabaseTime } from '#api/platform/clock/readDatabaseTime.ts'
import { sql } from '#api/platform/db/sql.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { AuditRun } from '#api/entities/AuditRun.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { auditAll, type Audit } from './auditAll.ts'
import { depositsOnChain } from './checks/depositsOnChain.ts'
import { overdue } from './checks/overdue.ts'
import { createDepositChain } from './createDepositChain.ts'
import { createPayoutChains } from './createPayoutChains.ts'
import { findOldDifferences, shortenDifferences } from './fullAudit.ts'

/**
 * Audits once a day, on the first worker that gets the lock, and alerts the operator when something differs. After an outage a starting
 * worker has a backlog of overdue work. Its first audit therefore does not report overdue work alone; the next one does.
 *
 * It recomputes everything from all rows that are not archived: an audit of new rows alone would trust stored sums of the old ones, and so
 * miss a change of these. Archived months have such sums, which only the owner of the tables writes (decision 47).
 */
export const auditDaily: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'audit-daily',
  everySeconds: 600,
  run: (services, isFirst = false) => auditWhenDue(services, { ignoreOverdue: isFirst }),
}

type Needed = Pick<Services, 'orm' | 'config' | 'jobs' | 'clock'>

/** @param options `ignoreOverdue`: if only overdue work is found, nothing is recorded and the audit stays due. */
export async function auditWhenDue(services: Needed, { ignoreOverdue = false } = {}): Promise<void> {
  const { orm, config } = services
  await endFutureRuns(orm.em.fork())
  // The audit reads outside this transaction, which only holds the lock and writes the result. `transactional` would share it.
  const em = orm.em.fork()
  await em.begin()
  try {
    const isMine = await tryLockWhileIdle(em, lockNamed('audit-daily'))
    const recent = await sql(em, `select from audit_runs where at > now() - interval '1 day' and not is_full limit 1`)
    if (!isMine || recent.length > 0) return await em.rollback()
    const { findings, unread, upTo } = await audit(services)
    const differing = findings.filter((finding) => finding.differences.length > 0)
    if (ignoreOverdue && differing.length > 0 && differing.every(({ name }) => name === overdue.name)) return await em.rollback()
    const differences = [...differing.flatMap((finding) => finding.differences), ...(await findOldDifferences(em))]
    const shown = shortenDifferences(differences)
    em.create(AuditRun, { id: newId(), at: await readDatabaseTime(em), unchecked: unread, differences: shown })
    await recordChange(em, { keys: [getWaiting.path] })
    // Blocks that differ are read again the next day, so that the alarm lasts until its cause is gone, and `npm run audit` shows it.
    if (upTo !== undefined && !differing.some(({ name }) => name === depositsOnChain))
      await sql(em, 'update chain_progress set audited_number = $2 where chain_id = $1', [PAYMENT_CHAIN_ID, upTo])
    if (differences.length > 0)
      await mailOperator(em, services, {
        subject: `${config.BRAND_NAME}: the audit found differences`,
        paragraphs: ['The daily audit found differences. `npm run audit` prints all of them.', ...shown],
      })
    await em.commit()
    if (differences.length > 0)
      throw new Error(`ALERT: the daily audit has found ${differences.length} differences: ${shown.join('; ')}`)
  } catch (error) {
    if (em.isInTransaction()) await em.rollback()
    throw error
  }
}

/**
 * Dates runs of the future two days back, so that the next one is due. An earlier release dated them by the clock of its machine, and until
 * then one would hold back the next audit and be shown as the last. A little ahead is normal after a failover.
 */
const endFutureRuns = (em: EntityManager) =>
  sql(em, `update audit_runs set at = clock_timestamp() - interval '2 days' where at > clock_timestamp() + interval '1 minute'`)

const audit = ({ orm, config, clock }: Needed): Promise<Audit> =>
  auditAll(orm.em.fork(), {
    at: () => ({ now: clock.now(), productNow: clock.productNow() }),
    paymentChain: createDepositChain(config),
    rewardChain: createPayoutChains(config),
    startBlock: config.DEPOSIT_START_BLOCK,
  })
