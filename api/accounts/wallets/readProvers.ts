import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'

/**
 * The accounts that have proven a wallet by a signature, the last one first, whether or not they are connected to it now. An account that
 * only entered the address is none of them: anyone can enter that of an exchange (money.md 16).
 */
export async function readProvers(em: EntityManager, address: Address): Promise<string[]> {
  const proven = await query(em)
    .selectFrom('wallet_registrations')
    .select('user')
    .where('address', '=', address)
    .where('provenAt', 'is not', null)
    .orderBy('registeredAt', 'desc')
    .execute()
  return proven.map(({ user }) => user)
}

/** Whether others have proven the wallet, and this account has not. */
export const isOnlyOthers = (provers: readonly string[], userId: string): boolean =>
  provers.length > 0 && !provers.includes(userId)
