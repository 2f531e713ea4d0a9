import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { ChainUnavailable } from '../chain/ChainClient.ts'
import { sql } from '../db/sql.ts'
import type { Finding } from './auditBooks.ts'
import { findForeignNonces, findUnpaid, noncesOnChain, paidOnChain, readPayoutRecords } from './checks/payoutsOnChain.ts'
import type { PayoutChain } from './PayoutChain.ts'

/** The rows could not be compared with the reward chain. */
export class PayoutsUnread extends Error {
  override name = 'PayoutsUnread'
}

/**
 * Compares what was paid out with the reward chain. Finds nothing where nothing was ever paid out.
 *
 * @throws {PayoutsUnread} if there is something to compare, and no chain that answers.
 */
export async function auditPayouts(em: EntityManager, chain: PayoutChain | undefined): Promise<Finding[]> {
  const wallets = await sql<{ address: Address }>(em, 'select address from payout_wallets')
  const [paid] = await sql(em, `select from withdrawals where status = 'completed' limit 1`)
  if (wallets.length === 0 && !paid) return []
  if (!chain) throw new PayoutsUnread('no reward chain is configured')
  try {
    // The chain first: what is there by then, the rows know.
    const upTo = await chain.readFinalBlock()
    const sent = new Map<Address, number>()
    for (const { address } of wallets) sent.set(address, await chain.countSent(address))
    const records = await em.transactional(readPayoutRecords, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
    return [
      { name: paidOnChain, differences: await findUnpaid(chain, records, upTo) },
      { name: noncesOnChain, differences: findForeignNonces(records, sent) },
    ]
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    throw new PayoutsUnread(`the reward chain does not answer (${reason})`, { cause: error })
  }
}
