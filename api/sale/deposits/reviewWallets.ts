import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
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
 * Returns a time that no payment of until now is younger than: the latest of this machine's clock, the database's, and the newest block that
 * an endpoint has. With a slow clock alone, payments of the last minutes would be credited.
 *
 * @throws {ChainUnavailable} if no endpoint answers.
 */
export async function readNewestTime(
  em: EntityManager,
  { endpoints, now }: { endpoints: readonly RpcEndpoint[]; now: Date },
): Promise<Date> {
  const { databaseTime } = await query(em).selectNoFrom(sql<Date>`clock_timestamp()`.as('databaseTime')).executeTakeFirstOrThrow()
  const read = await Promise.allSettled(endpoints.map((endpoint) => readBlock(endpoint, 'latest')))
  const blocks = read.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []))
  if (blocks.length === 0) throw new ChainUnavailable('No endpoint of the payment chain answers.')
  return new Date(Math.max(now.getTime(), databaseTime.getTime(), ...blocks.map(({ time }) => time.getTime())))
}
