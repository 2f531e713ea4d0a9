import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
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

export interface Prover {
  userId: string
  email: string
  provenAt: Date
}

/** The same with their email addresses and the time of their last proof, for several wallets. */
export async function readProversOf(em: EntityManager, addresses: readonly Address[]): Promise<Map<Address, Prover[]>> {
  const proven = await query(em)
    .selectFrom('wallet_registrations as w')
    .innerJoin('users as u', 'u.id', 'w.user')
    .select(['w.address', 'w.provenAt', 'u.id as userId', 'u.email'])
    .where('w.address', '=', sql<Address>`any(${[...new Set(addresses)]}::text[])`)
    .where('w.provenAt', 'is not', null)
    .orderBy('w.registeredAt', 'desc')
    .execute()
  const provers = new Map<Address, Prover[]>()
  for (const { address, userId, email, provenAt } of proven) {
    const known = provers.get(address) ?? []
    if (known.some((each) => each.userId === userId)) continue
    provers.set(address, [...known, { userId, email, provenAt: provenAt! }])
  }
  return provers
}

/** Whether others have proven the wallet, and this account has not. */
export const isOnlyOthers = (provers: readonly string[], userId: string): boolean =>
  provers.length > 0 && !provers.includes(userId)
