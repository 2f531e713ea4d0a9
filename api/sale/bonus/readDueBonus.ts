import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { MAX_BONUS_GRANTS, type BonusRow } from '#shared/contract/admin/bonus.ts'
import type { Language } from '#shared/languages.ts'
import { NODES_PER_BONUS } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'

export interface DueBonus extends BonusRow {
  /** The language of the account's mails. */
  language: Language
}

/** The accounts with a due bonus, most pending first and at most as many as can be granted at once; optionally only some accounts. */
export async function readDueBonus(em: EntityManager, userIds?: readonly string[]): Promise<DueBonus[]> {
  const rows = await query(em)
    .selectFrom('node_counts as c')
    .innerJoin('users as u', 'u.id', 'c.user')
    .select([...bonusColumns, 'u.language'])
    .where('c.pending', '>', 0)
    .$if(userIds !== undefined, (due) => due.where('c.user', '=', sql<string>`any(${userIds}::uuid[])`))
    .orderBy('c.pending', 'desc')
    .orderBy('c.paid', 'desc')
    .orderBy('c.user')
    .limit(MAX_BONUS_GRANTS)
    .execute()
  return rows.map(presentBonus)
}

/** The columns of `node_counts as c` and its account, `users as u`. */
export const bonusColumns = [
  'c.user as userId',
  'u.email as userEmail',
  'c.paid as paidNodes',
  'c.bonus as bonusReceived',
  'c.pending as bonusPending',
] as const

/** Adds the values derived from the columns. */
export const presentBonus = <Row extends Pick<BonusRow, 'userEmail' | 'paidNodes'>>(row: Row) => ({
  ...row,
  userName: row.userEmail.split('@', 1)[0]!,
  bonusEligible: Math.floor(row.paidNodes / NODES_PER_BONUS),
})
