import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { DAY, MINUTE, SECOND } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { sayNodes, sentence } from '#api/platform/mail/sentence.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { readLastBlock } from './readLastBlock.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { closeRequest } from './closeRequest.ts'
import { countUnpaid, lockBeforePurchase } from './countUnpaid.ts'
import { releaseSupply } from './holdSupply.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'

/**
 * A request expires only when the blocks read so far are this much past its time: a payment may be in a block that is not read yet
 * (money.md 5).
 */
const READING_MARGIN = 2 * MINUTE

/** A request is closed at most this much after its time while blocks are read as they are mined: the sweep comes every ten seconds. */
export const CLOSING_TIME = READING_MARGIN + 15 * SECOND

/** Maximum age of a pending purchase without a payment. */
const PENDING_TIME = DAY

const BATCH_SIZE = 200

type Uses = 'clock' | 'config' | 'jobs' | 'orm' | 'paymentChain'

export const expireRequests: Sweep<Uses> = {
  name: 'expire-requests',
  everySeconds: 10,
  run: expirePurchases,
}

/** Closes the requests that have expired by the clock of the chain and releases their supply. */
export async function expirePurchases(services: Pick<Services, Uses>): Promise<void> {
  const horizon = await readHorizon(services)
  if (!horizon) return
  const due = await query(services.orm.em.fork())
    .selectFrom('purchases as p')
    .select((eb) => ['p.id', 'p.user as userId', 'p.status', eb.ref('p.wallet').$notNull().as('wallet'), 'p.amount'])
    .where('p.status', 'in', ['reserved', 'pending'])
    .where('p.expiresAt', '<', horizon)
    // A pending purchase without supply only waits for PENDING_TIME. It must not fill the batch before those that hold supply.
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
    .limit(BATCH_SIZE)
    .execute()
  for (const { id, userId, status, wallet, amount } of due) {
    // Read before the transaction, so that no lock waits for a chain. If the chain does not answer, the purchase stays open.
    const balance = status === 'pending' ? await services.paymentChain.usdtBalanceOf(wallet).catch(() => undefined) : undefined
    await expireOne(services, { id, userId, horizon, canPay: balance === undefined || balance >= amount })
  }
}

/**
 * The chain time up to which all payments are known. Undefined until a block has been read. A block of the future expires nothing: its time
 * is that of one endpoint, which may be wrong.
 */
async function readHorizon({ orm, clock }: Pick<Services, 'clock' | 'orm'>): Promise<Date | undefined> {
  const last = await readLastBlock(orm.em.fork())
  return last && new Date(Math.min(last.time.getTime(), clock.now().getTime()) - READING_MARGIN)
}

async function expireOne(
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>,
  { id, userId, horizon, canPay }: { id: string; userId: string; horizon: Date; canPay: boolean },
): Promise<void> {
  const { orm, clock } = services
  await orm.em.fork().transactional(async (em) => {
    await lockBeforePurchase(em, userId)
    // A locked row is being changed elsewhere: the next round handles it.
    const purchase = await em.findOne(Purchase, { id }, { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE })
    if (!purchase?.expiresAt || purchase.expiresAt >= horizon) return
    if (await em.count(Deposit, { purchase, blockNumber: { $ne: null } })) return
    const now = clock.now()

    const wasHolding = purchase.heldQuantity > 0
    if (purchase.status === 'reserved') closeRequest(purchase, await lockSupply(em), { reason: 'expired', now })
    else if (purchase.status === 'pending') {
      const isTooOld = purchase.openedAt.getTime() + PENDING_TIME < horizon.getTime()
      const isClosing = isTooOld || !canPay
      if (!isClosing && !wasHolding) return
      // Before the supply is locked, for which others wait.
      if (isClosing) await tellClosed(em, services, purchase)
      const supply = await lockSupply(em)
      if (isClosing) closeRequest(purchase, supply, { reason: 'unpaid', now })
      else releaseSupply(supply, purchase)
    } else return
    if (wasHolding) await countUnpaid(em, [{ userId }], now)
    await em.flush()
    await recordPurchaseChange(em, purchase.user.id)
  })
}

/** Its buyer has reported a payment, and may still wait for it. */
async function tellClosed(
  em: EntityManager,
  services: MailServices,
  { id, user, requestedQuantity, amount }: Purchase,
): Promise<void> {
  await notifyOwner(em, services, {
    to: await em.findOneOrFail(User, user.id),
    topic: 'payments',
    link: '/history',
    subject: sentence('Your purchase of {nodes} was closed', { nodes: sayNodes(requestedQuantity) }),
    paragraphs: [
      sentence('No payment of {amount} USDT for it has arrived in time, so no nodes are reserved for it any more.', {
        amount: formatAmount(amount, { grouped: true }),
      }),
      "Please don't pay for it now: start a new purchase. If you have sent the payment already, it is not lost: our team reviews it when it arrives.",
    ],
    facts: [['Purchase', id]],
  })
}
