import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/** When payouts of any wallet were last stopped, in real time; for example by the first worker after a restore. */
export async function payoutsLastStoppedAt(em: EntityManager): Promise<Date | undefined> {
  const row = await query(em)
    .selectFrom('payout_wallets')
    .select((eb) => eb.fn.max('stoppedAt').as('stoppedAt'))
    .executeTakeFirst()
  return row?.stoppedAt ?? undefined
}

/** Whether payouts are stopped until an operator has reconciled the wallet. */
export async function arePayoutsStopped(em: EntityManager): Promise<boolean> {
  const stopped = await query(em)
    .selectFrom('payout_wallets')
    .select('address')
    .where('stoppedBecause', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return stopped !== undefined
}
