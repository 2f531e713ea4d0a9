import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

/** When payouts of any wallet were last stopped, by real time: as the first worker after a restore does. */
export async function payoutsLastStoppedAt(em: EntityManager): Promise<Date | undefined> {
  const [row] = await sql<{ at: string | null }>(em, 'select max(stopped_at) as at from payout_wallets')
  return row?.at ? new Date(row.at) : undefined
}

/** Whether nothing is paid until an operator has reconciled the wallet: what is pending stays so. */
export async function arePayoutsStopped(em: EntityManager): Promise<boolean> {
  return (await sql(em, 'select from payout_wallets where stopped_because is not null limit 1')).length > 0
}
