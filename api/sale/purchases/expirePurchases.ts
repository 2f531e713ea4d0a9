import { LockMode } from '@mikro-orm/postgresql'
import { DAY, MINUTE } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { readLastBlock } from './readLastBlock.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { closeRequest } from './closeRequest.ts'
import { countUnpaid } from './countUnpaid.ts'
import { releaseSupply } from './holdSupply.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'

/** Nothing expires until the blocks read so far are this much past its time: a payment may be in one not read yet (money.md 5). */
const READING_MARGIN = 2 * MINUTE

/** How long a pending purchase may wait for its payment. */
const PENDING_TIME = DAY

const BATCH = 200

export const expireRequests: Sweep<'clock' | 'orm' | 'paymentChain'> = {
  name: 'expire-requests',
  everySeconds: 10,
  run: expirePurchases,
}

/** Ends the requests whose time has passed by the clock of the chain, and gives back what they held. */
export async function expirePurchases(services: Pick<Services, 'clock' | 'orm' | 'paymentChain'>): Promise<void> {
  const horizon = await readHorizon(services)
  if (!horizon) return
  const due = await query(services.orm.em.fork())
    .selectFrom('purchases as p')
    .select((eb) => ['p.id', 'p.status', eb.ref('p.wallet').$notNull().as('wallet'), 'p.amount'])
    .where('p.status', 'in', ['reserved', 'pending'])
    .where('p.expiresAt', '<', horizon)
    // A pending one that holds nothing any more only waits for its day to be over; it must not stand before those that hold supply.
    .where((eb) =>
      eb.or([
        eb('p.status', '=', 'reserved'),
        eb('p.heldQuantity', '>', 0),
        eb('p.openedAt', '<', new Date(horizon.getTime() - PENDING_TIME)),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deposits as d').select('d.id').whereRef('d.purchase', '=', 'p.id').where('d.blockNumber', 'is not', null),
        ),
      ),
    )
    .orderBy('p.expiresAt')
    .limit(BATCH)
    .execute()
  for (const { id, status, wallet, amount } of due) {
    // Asked before the transaction: no lock waits for a chain. A chain that does not answer leaves the purchase waiting.
    const balance = status === 'pending' ? await services.paymentChain.usdtBalanceOf(wallet).catch(() => undefined) : undefined
    await expireOne(services, { id, horizon, canPay: balance === undefined || balance >= amount })
  }
}

/** The instant up to which everything that was paid is known. Undefined until a block was read. */
async function readHorizon({ orm }: Pick<Services, 'orm'>): Promise<Date | undefined> {
  const last = await readLastBlock(orm.em.fork())
  return last && new Date(last.time.getTime() - READING_MARGIN)
}

async function expireOne(
  { orm, clock }: Pick<Services, 'clock' | 'orm'>,
  { id, horizon, canPay }: { id: string; horizon: Date; canPay: boolean },
): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    // Someone who holds the row is changing it: it is looked at again at the next round.
    const purchase = await em.findOne(Purchase, { id }, { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE })
    if (!purchase?.expiresAt || purchase.expiresAt >= horizon) return
    if (await em.count(Deposit, { purchase, blockNumber: { $ne: null } })) return
    const now = clock.now()

    const held = purchase.heldQuantity > 0
    if (purchase.status === 'reserved') closeRequest(purchase, await lockSupply(em), { reason: 'expired', now })
    else if (purchase.status === 'pending') {
      const tooOld = purchase.openedAt.getTime() + PENDING_TIME < horizon.getTime()
      if (canPay && !tooOld && !held) return
      const supply = await lockSupply(em)
      if (canPay && !tooOld) releaseSupply(supply, purchase)
      else closeRequest(purchase, supply, { reason: 'unpaid', now })
    } else return
    if (held) await countUnpaid(em, purchase.user.id, now)
    await em.flush()
    await recordPurchaseChange(em, purchase.user.id)
  })
}
