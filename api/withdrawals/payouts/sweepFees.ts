import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { address } from '#shared/wire/address.ts'
import { utcDay } from '#shared/dates.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { readSettings } from '#api/sale/settings/readSettings.ts'
import type { PayoutDesk } from './PayoutDesk.ts'

/** The fees that have accumulated, on their way to whoever collects them: once a day of the product's time. */
export interface DueSweep {
  cause: string
  date: string
  recipient: Address
  amount: bigint
}

/** Undefined if nobody collects fees, there are none, or the day has had its sweep. */
export async function findDueSweep(desk: PayoutDesk): Promise<DueSweep | undefined> {
  const date = utcDay(desk.services.clock.productNow())
  const fees = await desk.read
    .selectFrom('accounts as a')
    .select('a.balance')
    .where('a.id', '=', houseAccounts.fees)
    .where('a.balance', '>', 0n)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('payouts as p').select('p.id').where('p.cause', '=', `sweep:${date}`))),
    )
    .executeTakeFirst()
  if (!fees) return undefined
  const { fee_recipient_address } = await readSettings(desk.services.orm.em.fork())
  const recipient = address.safeDecode(fee_recipient_address)
  return recipient.success ? { cause: `sweep:${date}`, date, recipient: recipient.data, amount: fees.balance } : undefined
}

/** In the transaction that signs it: these fees are not swept again. Only sweeps lower that account, and one leader makes them. */
export async function debitSweep(em: EntityManager, { cause, date, amount }: DueSweep): Promise<void> {
  await moveXcr(em, [{ from: houseAccounts.fees, to: houseAccounts.payouts, amount, cause, date }])
}

/** A sweep that failed on the chain: the next day's takes its fees along. */
export async function takeBackSweep(em: EntityManager, { cause, amount }: { cause: string; amount: bigint }): Promise<void> {
  const date = cause.replace(/^sweep:/, '')
  await moveXcr(em, [{ from: houseAccounts.payouts, to: houseAccounts.fees, amount, cause: `sweep-back:${date}`, date }])
}
