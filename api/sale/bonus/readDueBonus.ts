import type { EntityManager } from '@mikro-orm/postgresql'
import { MAX_BONUS_GRANTS, type BonusRow } from '#shared/contract/admin/bonus.ts'
import type { Language } from '#shared/languages.ts'
import { NODES_PER_BONUS } from '#shared/sale.ts'
import { sql } from '#api/platform/db/sql.ts'

/** A row of `node_counts` with its account. */
export interface CountsRow {
  user_id: string
  email: string
  paid: number
  bonus: number
  pending: number
}

export interface DueBonus extends BonusRow {
  /** Of the account's mails. */
  language: Language
}

/** Those who are due a bonus, as many as can be granted at once, most pending first; or those of these accounts who are. */
export async function readDueBonus(em: EntityManager, userIds?: readonly string[]): Promise<DueBonus[]> {
  const rows = await sql<CountsRow & { language: Language }>(
    em,
    `select c.user_id, u.email, u.language, c.paid, c.bonus, c.pending from node_counts c join users u on u.id = c.user_id
     where c.pending > 0 and ($1::uuid[] is null or c.user_id = any($1)) order by c.pending desc, c.paid desc, c.user_id
     limit ${MAX_BONUS_GRANTS}`,
    [userIds ?? null],
  )
  return rows.map((row) => ({ ...presentBonus(row), language: row.language }))
}

export const presentBonus = ({ user_id, email, paid, bonus, pending }: CountsRow): BonusRow => ({
  userId: user_id,
  userEmail: email,
  userName: email.split('@', 1)[0]!,
  paidNodes: paid,
  bonusEligible: Math.floor(paid / NODES_PER_BONUS),
  bonusReceived: bonus,
  bonusPending: pending,
})
