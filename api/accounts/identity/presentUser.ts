import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import type { AuthUser } from '#shared/contract/identity.ts'
import { sql } from '#api/platform/db/sql.ts'

interface UserRow {
  id: string
  email: string
  wallet_address: Address | null
  profile_image_url: string | null
  total_nodes: number
  balance: string | null
  total_earned: string | null
}

/** An account as its owner sees it. */
export async function presentUser(em: EntityManager, userId: string): Promise<AuthUser> {
  const [user] = await sql<UserRow>(
    em,
    `select users.id, email, wallet_address, profile_image_url,
       (select count(*) from nodes where nodes.user_id = users.id)::int as total_nodes,
       balance, total_earned
     from users left join accounts on accounts.id = users.id where users.id = $1`,
    [userId],
  )
  if (!user) throw new Error(`There is no user ${userId}.`)
  return {
    id: user.id,
    email: user.email,
    walletAddress: user.wallet_address,
    ...(user.profile_image_url && { profileImageUrl: user.profile_image_url }),
    // Nobody has a row in the ledger before the first reward.
    balance: { availableXcr: BigInt(user.balance ?? 0), totalEarnedXcr: BigInt(user.total_earned ?? 0) },
    totalNodes: user.total_nodes,
  }
}
