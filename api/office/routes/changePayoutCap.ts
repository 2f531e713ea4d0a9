import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { getPayoutCaps, type PayoutCaps, type PayoutPeriod } from '#shared/contract/admin/office.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { requireShown } from '#api/platform/http/requireShown.ts'
import { type CapConfig, readSetCaps, sumSigned } from '#api/withdrawals/payoutWallets/payoutCaps.ts'

/** The caps of both periods as they are set, and what was signed within them. */
export async function readPayoutCaps(em: EntityManager, config: CapConfig, now: Date): Promise<PayoutCaps> {
  const { hour, day } = await readSetCaps(em, config)
  return {
    hour: { ...hour, signed: await sumSigned(em, { period: 'hour', now }) },
    day: { ...day, signed: await sumSigned(em, { period: 'day', now }) },
  }
}

interface PayoutCapChange {
  period: PayoutPeriod
  /** Null removes it. */
  cap: bigint | null
  /** The cap that the page showed, if it names it. */
  replaces?: bigint | null | undefined
  actor: string
  clientAddress: string
}

/** Whether a change lets more be signed. The lock keeps the answer until the transaction ends. */
export async function raisesPayoutCap(
  em: EntityManager,
  config: CapConfig,
  { period, cap }: Pick<PayoutCapChange, 'period' | 'cap'>,
): Promise<boolean> {
  await lockCaps(em)
  const { panel } = (await readSetCaps(em, config))[period]
  return panel !== null && (cap === null || cap > panel)
}

/** The lock serializes changes, so that each audit entry starts from the previous one's result. */
const lockCaps = (em: EntityManager) =>
  query(em).selectFrom('installation').select('id').where('id', '=', 1).forUpdate().execute()

/**
 * Sets or removes a cap of the panel. What is signed once this commits obeys it.
 *
 * @throws 400 if it is above the environment's; 409 `value_changed`.
 */
export async function changePayoutCap(
  em: EntityManager,
  config: CapConfig,
  { period, cap, replaces, actor, clientAddress }: PayoutCapChange,
): Promise<void> {
  await lockCaps(em)
  const { environment, panel } = (await readSetCaps(em, config))[period]
  if (cap !== null && environment !== null && cap > environment)
    throw refusal(400, 'invalid_request', `The environment allows at most ${formatAmount(environment)} XCR.`)
  if (cap === panel) return
  const wordsOf = (value: bigint | null) => (value === null ? null : formatAmount(value))
  requireShown(wordsOf(panel), replaces === undefined ? undefined : wordsOf(replaces))
  // Waits for what is being signed under the cap before.
  await query(em).selectFrom('payout_wallets').select('address').orderBy('address').forUpdate().execute()
  await query(em)
    .updateTable('installation')
    .set(period === 'hour' ? { payoutCapHour: cap } : { payoutCapDay: cap })
    .where('id', '=', 1)
    .execute()
  // Administrators who decide about withdrawals at this moment see that payouts are stopped, or go on.
  await recordChange(em, { keys: [getPayoutCaps.path] })
  const recordOf = (value: bigint | null) => ({ cap: wordsOf(value) })
  recordAudit(em, {
    actor,
    action: 'payouts.cap',
    target: period,
    ipAddress: clientAddress,
    before: recordOf(panel),
    after: recordOf(cap),
  })
}
