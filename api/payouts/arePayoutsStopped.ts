import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'

/** Whether nothing is paid until an operator has reconciled the wallet: what is pending stays so. */
export async function arePayoutsStopped(em: EntityManager): Promise<boolean> {
  return (await sql(em, 'select from payout_wallets where stopped_because is not null limit 1')).length > 0
}
