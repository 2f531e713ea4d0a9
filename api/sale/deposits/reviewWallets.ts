import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { readChainTime } from '#api/platform/chain/readChainTime.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { query } from '#api/entities/tables.ts'

/** From now on, no payment that these wallets made until this time is credited without a person. */
export async function reviewWallets(
  em: EntityManager,
  { wallets, until }: { wallets: readonly Address[]; until: Date },
): Promise<void> {
  if (wallets.length === 0) return
  await query(em)
    .insertInto('reviewed_wallets')
    .values([...new Set(wallets)].map((address) => ({ address, until })))
    .onConflict((oc) => oc.column('address').doUpdateSet((eb) => ({ until: eb.ref('excluded.until') })))
    .execute()
}

/**
 * Returns a time that no payment of until now is younger than: the latest of this machine's clock, the database's, and the chain's. With a
 * slow clock alone, payments of the last minutes would be credited.
 *
 * @throws {ChainUnavailable} if too few endpoints answer.
 */
export async function readNewestTime(
  em: EntityManager,
  { endpoints, now }: { endpoints: readonly RpcEndpoint[]; now: Date },
): Promise<Date> {
  const { databaseTime } = await query(em).selectNoFrom(sql<Date>`clock_timestamp()`.as('databaseTime')).executeTakeFirstOrThrow()
  const chainTime = await readChainTime(endpoints)
  if (!chainTime) throw new ChainUnavailable('Too few endpoints of the payment chain answer.')
  return new Date(Math.max(now.getTime(), databaseTime.getTime(), chainTime.getTime()))
}
