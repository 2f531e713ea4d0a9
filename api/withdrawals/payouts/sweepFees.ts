import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { address } from '#shared/wire/address.ts'
import { utcDay } from '#shared/dates.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { readSettings } from '#api/sale/settings/readSettings.ts'
import type { PayoutContext } from './PayoutContext.ts'

/** The accumulated fees that are swept to the fee recipient, once a day in product time. */
export interface DueSweep {
  cause: string
  date: string
  recipient: Address
  amount: bigint
}

/** Undefined if no fee recipient is configured, there are no fees, or the day's sweep exists already. */
export async function findDueSweep(context: PayoutContext): Promise<DueSweep | undefined> {
  const date = utcDay(context.services.clock.productNow())
  const fees = await context.read
    .selectFrom('accounts as a')
    .select('a.balance')
    .where('a.id', '=', houseAccounts.fees)
    .where('a.balance', '>', 0n)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('payouts as p').select('p.id').where('p.cause', '=', `sweep:${date}`))),
    )
    .executeTakeFirst()
  if (!fees) return undefined
  const { fee_recipient_address } = await readSettings(context.services.orm.em.fork())
  const recipient = address.safeDecode(fee_recipient_address)
  return recipient.success ? { cause: `sweep:${date}`, date, recipient: recipient.data, amount: fees.balance } : undefined
}

/**
 * Debits the fees in the transaction that signs the sweep, so that they are not swept twice. Only the leader's sweeps lower that
 * account.
 */
export async function debitSweep(em: EntityManager, { cause, date, amount }: DueSweep): Promise<void> {
  await moveXcr(em, [{ from: houseAccounts.fees, to: houseAccounts.payouts, amount, cause, date }])
}

/** Restores the fees of a sweep that failed on the chain, for the next day's sweep. */
export async function restoreSweptFees(em: EntityManager, { cause, amount }: { cause: string; amount: bigint }): Promise<void> {
  const date = cause.replace(/^sweep:/, '')
  await moveXcr(em, [{ from: houseAccounts.payouts, to: houseAccounts.fees, amount, cause: `sweep-back:${date}`, date }])
}
