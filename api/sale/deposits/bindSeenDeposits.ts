import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import type { Language } from '#shared/languages.ts'
import { notifyOwners } from '#api/accounts/inbox/notifyOwners.ts'
import { query } from '#api/entities/tables.ts'
import { openStatuses } from '#api/entities/Purchase.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { recordPurchaseChange } from '../purchases/recordPurchaseChange.ts'
import { CLOCK_TOLERANCE } from './matchDeposit.ts'

/**
 * Links new deposits to the requests that they most likely pay for. Such a request cannot expire any more (money.md 5), and its buyer sees
 * the payment coming. The final match is decided when the deposit is final.
 *
 * One statement for any number of deposits, so that a sender of thousands of transfers delays no other.
 */
export async function bindSeenDeposits(em: EntityManager, services: MailServices, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return
  const ofThese = sql<string>`any(${depositIds}::uuid[])`
  // Locks all requests in the order of ids, like every other transaction.
  await query(em)
    .selectFrom('purchases as p')
    .select('p.id')
    .where('p.status', 'in', openStatuses)
    .where('p.wallet', 'in', ({ selectFrom }) => selectFrom('deposits as d').select('d.sender').where('d.id', '=', ofThese))
    .orderBy('p.id')
    .forUpdate('p')
    .execute()
  const bound = await query(em)
    .with('fits', (db) =>
      db
        .selectFrom('deposits as d')
        .innerJoin('purchases as p', (join) => join.onRef('p.wallet', '=', 'd.sender').on('p.status', 'in', openStatuses))
        .distinctOn('d.id')
        .select(['d.id as deposit', 'p.id as request', 'p.user as buyer', 'd.transactionHash as hash', 'd.amount as sum'])
        .select((eb) =>
          eb.or([eb('p.amount', '=', eb.ref('d.amount')), eb('p.claimedHash', '=', eb.ref('d.transactionHash'))]).as('pays'),
        )
        .select((eb) => eb.and([eb('p.amount', '=', eb.ref('d.amount')), eb('p.heldQuantity', '>', 0)]).as('isSure'))
        .where('d.id', '=', ofThese)
        .where('d.state', '=', 'seen')
        .where('d.keptFor', 'is', null)
        .where('d.amount', '>', 0n)
        // The same rule as mayPay in matchDeposit.ts.
        .where(({ eb, or, and, not, exists, ref, selectFrom }) => {
          const proven = selectFrom('wallet_registrations as r')
            .select('r.id')
            .whereRef('r.address', '=', 'd.sender')
            .where('r.provenAt', 'is not', null)
          const seenBy = sql<Date>`${ref('d.blockTime')} + ${CLOCK_TOLERANCE} * interval '1 millisecond'`
          return or([
            exists(proven.whereRef('r.user', '=', 'p.user')),
            and([eb('p.openedAt', '<=', seenBy), not(exists(proven))]),
          ])
        })
        .orderBy('d.id')
        .orderBy((eb) => eb('p.claimedHash', 'is not distinct from', eb.ref('d.transactionHash')), 'desc')
        .orderBy((eb) => eb('p.amount', '=', eb.ref('d.amount')), 'desc')
        .orderBy('p.openedAt'),
    )
    .with('bound', (db) =>
      db
        .updateTable('deposits')
        .from('fits')
        .set((eb) => ({ purchase: eb.ref('fits.request'), user: eb.ref('fits.buyer') }))
        .whereRef('fits.deposit', '=', 'deposits.id')
        .returning(['fits.buyer', 'fits.request', 'fits.hash', 'fits.sum', 'fits.pays', 'fits.isSure']),
    )
    .selectFrom('bound')
    .innerJoin('users as u', 'u.id', 'bound.buyer')
    .select(['bound.buyer', 'bound.request', 'u.email', 'u.language'])
    .select([
      sql<Hash | null>`(array_agg(bound.hash order by bound.sum desc) filter (where bound.pays))[1]`.as('hash'),
      sql<string | null>`max(bound.sum) filter (where bound.pays)`.as('paid'),
      sql<boolean>`bool_or(bound."isSure")`.as('isSure'),
    ])
    .groupBy(['bound.buyer', 'bound.request', 'u.email', 'u.language'])
    .execute()
  for (const buyer of new Set(bound.map((row) => row.buyer))) await recordPurchaseChange(em, buyer)
  await tellSeen(em, services, bound)
}

interface BoundRequest {
  buyer: string
  request: string
  email: string
  language: Language
  /** The payment, unless only other amounts were found. */
  hash: Hash | null
  paid: string | null
  /** A payment has the amount of the request, whose nodes are held. */
  isSure: boolean
}

/**
 * Tells buyers that their payment was found, once per request: a payment that vanishes in a reorganization and is mined again is not
 * told again, and small change that a stranger or the buyer sends is not told at all.
 */
async function tellSeen(em: EntityManager, services: MailServices, bound: readonly BoundRequest[]): Promise<void> {
  const messages = bound.flatMap(({ buyer, request, email, language, hash, paid, isSure }) => {
    if (!hash || !paid) return []
    const amount = formatAmount(BigInt(paid), { grouped: true })
    return {
      to: { id: buyer, email, language },
      cause: `payment_seen:${request}`,
      link: '/history',
      subject: sentence('Your payment of {amount} USDT was found', { amount }),
      paragraphs: [
        isSure
          ? ('It is on the chain and waits for confirmations. Your nodes follow within minutes, without any action from you.' as const)
          : ('It is on the chain and waits for confirmations. You will hear from us within minutes.' as const),
      ],
      facts: [
        ['Transaction', hash],
        ['Purchase', request],
      ] as const,
    }
  })
  if (messages.length > 0) await notifyOwners(em, services, { topic: 'payments', noMail: true, messages })
}
