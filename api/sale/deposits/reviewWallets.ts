import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'

/** From now on, no payment that these wallets made until this time is credited without a person. */
export async function reviewWallets(
  em: EntityManager,
  { wallets, until }: { wallets: readonly Address[]; until: Date },
): Promise<void> {
  await query(em)
    .insertInto('reviewed_wallets')
    .values([...new Set(wallets)].map((address) => ({ address, until })))
    .onConflict((oc) => oc.column('address').doUpdateSet((eb) => ({ until: eb.ref('excluded.until') })))
    .execute()
}
