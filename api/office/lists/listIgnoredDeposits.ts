import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import type { listIgnoredDeposits as contract } from '#shared/contract/admin/purchases.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { presentPaging } from './presentPaging.ts'

interface Row {
  id: string
  transaction_hash: Hash
  sender: Address
  amount: string
  email: string | null
  notes: string | null
  first_seen_at: string
}

/** Deposits that are ignored, latest first: small change is put aside without a person, and must be found when its sender asks. */
export async function listIgnoredDeposits(
  em: EntityManager,
  { search = '', limit, offset }: { search?: string | undefined; limit: number; offset: number },
): Promise<Output<typeof contract>> {
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  const found = `from deposits d left join users u on u.id = d.user_id
     where d.state = 'ignored' and ($1 = '%%' or d.sender like $1 or d.transaction_hash like $1 or u.email like $1)`
  const [total] = await sql<{ count: number }>(em, `select count(*)::int as count ${found}`, [pattern])
  const rows = await sql<Row>(
    em,
    `select d.id, d.transaction_hash, d.sender, d.amount, u.email, d.notes, d.first_seen_at ${found}
     order by d.first_seen_at desc, d.id desc limit $2 offset $3`,
    [pattern, limit, offset],
  )
  return {
    deposits: rows.map((row) => ({
      id: row.id,
      transactionHash: row.transaction_hash,
      sender: row.sender,
      amount: BigInt(row.amount),
      probableUserEmail: row.email,
      notes: row.notes,
      seenAt: new Date(row.first_seen_at),
    })),
    ...presentPaging({ totalCount: total!.count, limit, offset }),
  }
}
