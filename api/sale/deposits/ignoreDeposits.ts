import { type EntityManager, ref } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { formatAmount } from '#shared/amount.ts'
import { notifyOwners } from '#api/accounts/inbox/notifyOwners.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import { query } from '#api/entities/tables.ts'
import type { User } from '#api/entities/User.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import type { Services } from '#api/platform/services.ts'
import { findConcerned } from '../purchases/findPayer.ts'
import { transactionFacts } from '../purchases/transactionFacts.ts'
import type { ReviewedDeposits } from './decideDeposits.ts'
import { depositChanged } from './errors.ts'
import { hasPaid } from './restoreNodes.ts'
import { tellFrozen } from './tellFrozen.ts'

/**
 * Closes deposits without effect. The caller has locked them. Who was told that they wait for a person is told that they no longer do.
 *
 * An orphaned deposit leaves its nodes frozen, of which their owner is told, and returns to its earlier state if it is mined again.
 *
 * @throws 409 `deposit_changed` if one is not in the state in which it was shown: one in review is closed for good, an orphaned one is not.
 */
export async function ignoreDeposits(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { deposits, formerOf }: Pick<ReviewedDeposits, 'deposits' | 'formerOf'>,
  { shownAs }: { shownAs: 'review' | 'orphaned' | undefined },
): Promise<void> {
  if (shownAs && deposits.some(({ state }) => state !== shownAs)) throw depositChanged()
  const told: { to: User; isOwn: boolean; deposit: Deposit }[] = []
  await tellLeftFrozen(em, services, deposits)
  for (const deposit of deposits) {
    const isOrphaned = deposit.state === 'orphaned'
    deposit.state = 'ignored'
    // Its sender was notified of the decision before it vanished, unless it was still in review.
    if (isOrphaned && deposit.stateBeforeOrphaned !== 'review') continue
    if (!isOrphaned) Object.assign(deposit, { reviewReason: null, closedAt: services.clock.now() })
    const { payer, claimants } = await findConcerned(em, deposit, formerOf(deposit))
    if (payer) {
      deposit.user = ref(payer)
      told.push({ to: payer, isOwn: true, deposit })
    }
    for (const { user } of claimants) told.push({ to: user, isOwn: false, deposit })
  }
  const hasVanished = ({ stateBeforeOrphaned }: Deposit) => stateBeforeOrphaned != null
  const groups = Map.groupBy(told, ({ to, isOwn, deposit }) => `${to.id} ${isOwn} ${hasVanished(deposit)}`)
  const messages = [...groups.values()].map((group) => {
    const { to, isOwn, deposit } = group[0]!
    const sum = group.reduce((total, { deposit: { amount } }) => total + amount, 0n)
    return {
      to,
      // Mined again, it waits for a person again.
      cause: `payment_${hasVanished(deposit) ? 'vanished' : 'ignored'}:${deposit.id}`,
      link: '/history',
      subject: isOwn
        ? sentence('Your payment of {amount} USDT was not used', { amount: formatAmount(sum, { grouped: true }) })
        : ('A payment for your purchase was not used' as const),
      paragraphs: [
        hasVanished(deposit)
          ? 'It has vanished from BNB Smart Chain, and our team has closed it: it bought no nodes.'
          : 'Our team has reviewed and closed it: it bought no nodes, and no refund of it is recorded.',
        'If you think this is wrong, please contact us.',
      ] as const,
      facts: transactionFacts(group.map(({ deposit }) => deposit)),
    }
  })
  await notifyOwners(em, services, { topic: 'payments', messages })
}

async function tellLeftFrozen(em: EntityManager, services: MailServices, deposits: readonly Deposit[]): Promise<void> {
  const purchaseIds = deposits.filter(hasPaid).flatMap(({ purchase }) => purchase?.id ?? [])
  const nodes = await query(em)
    .selectFrom('nodes')
    .select(['user', 'purchase', 'number'])
    .where('purchase', '=', sql<string>`any(${purchaseIds}::uuid[])`)
    .where('frozenAt', 'is not', null)
    .execute()
  await tellFrozen(em, services, { nodes, state: 'left' })
}
