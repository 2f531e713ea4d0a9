import { LockMode } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { readLastBlock } from './readLastBlock.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { closeRequest } from './closeRequest.ts'
import { countUnpaid, lockBeforePurchase } from './countUnpaid.ts'
import { releaseSupply } from './holdSupply.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'
import { findUncovered, readHoldsOlderThan, type UnpaidHold } from './unpaidHolds.ts'

export const releaseUncoveredHolds: Sweep<'clock' | 'orm' | 'paymentChain'> = {
  name: 'release-uncovered-holds',
  // Soon after a reservation that relied on a balance of before the rush.
  everySeconds: 15,
  // After a pause the last block that was read can be older than what nodes keep of the state, until the watcher has caught up.
  run: async (services, isFirst) => {
    if (!isFirst) await releaseUncovered(services)
  },
}

/**
 * Reads the balances behind all unpaid holds again and ends the holds that they no longer cover. Otherwise the same USDT could hold nodes
 * from one wallet after another (money.md 12).
 *
 * All balances are those of the last block whose deposits were read. If a transfer to us has lowered a balance by then, its deposit is
 * known and the request counts as paid.
 *
 * @throws ChainUnavailable; no hold is ended then.
 */
export async function releaseUncovered(services: Pick<Services, 'orm' | 'clock' | 'paymentChain'>): Promise<void> {
  const read = await services.orm.em.fork().transactional(
    async (em) => {
      const block = await readLastBlock(em)
      return block && { number: block.number, holds: await readHoldsOlderThan(em, block.time, { now: services.clock.now() }) }
    },
    // One snapshot of the block and the deposits.
    { isolationLevel: 'repeatable read', readOnly: true },
  )
  if (!read || read.holds.length === 0) return
  const holdsOf = Map.groupBy(read.holds, ({ wallet }) => wallet)
  const wallets = [...holdsOf.keys()]
  const balances = await services.paymentChain.usdtBalancesAt(read.number, wallets)
  const uncovered = wallets.flatMap((wallet: Address, index) => findUncovered(holdsOf.get(wallet)!, balances[index]!))
  for (const hold of uncovered) await endHold(services, hold)
}

/** A reservation is closed as expired. A purchase stays open without supply and takes nodes that are left when its payment arrives. */
async function endHold({ orm, clock }: Pick<Services, 'orm' | 'clock'>, { id, userId }: UnpaidHold): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    await lockBeforePurchase(em, userId)
    // A locked row is being changed elsewhere: the next round handles it.
    const purchase = await em.findOne(Purchase, { id }, { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE })
    if (!purchase || purchase.heldQuantity === 0 || (purchase.status !== 'reserved' && purchase.status !== 'pending')) return
    if (await em.count(Deposit, { purchase, blockNumber: { $ne: null } })) return
    const now = clock.now()
    const supply = await lockSupply(em)
    if (purchase.status === 'reserved') closeRequest(purchase, supply, { reason: 'expired', now })
    else releaseSupply(supply, purchase)
    await countUnpaid(em, [{ userId }], now)
    await em.flush()
    await recordPurchaseChange(em, purchase.user.id)
  })
}
