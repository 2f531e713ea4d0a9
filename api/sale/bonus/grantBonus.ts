import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { listPurchases } from '#shared/contract/purchases.ts'
import { ACTIVATION_DELAY } from '#shared/sale.ts'
import type { Language } from '#shared/languages.ts'
import { formatNodeNumbers } from '#shared/formatNodeNumbers.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { query } from '#api/entities/tables.ts'
import type { Supply } from '#api/entities/Supply.ts'
import { notifyOwners, type OwnerMessage } from '#api/accounts/inbox/notifyOwners.ts'
import { issueReceipts } from '#api/accounts/proofs/issueReceipts.ts'
import { receiptWait } from '#api/accounts/proofs/receiptMail.ts'
import { nodesFacts } from '#api/accounts/proofs/storeReceipts.ts'
import { recordChange, recordChanges } from '#api/platform/events/recordChange.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { type AllocatedNodes, allocateNodes } from '../supply/allocateNodes.ts'
import { insufficientSupply } from '../purchases/errors.ts'
import type { Services } from '#api/platform/services.ts'

export interface BonusGrant {
  userId: string
  userEmail: string
  /** The language of the mail. */
  language: Language
  quantity: number
}

export interface GrantedBonus extends BonusGrant {
  purchaseId: string
  numbers: number[]
}

/**
 * Grants nodes to accounts for free, all of them or none, with a confirmed purchase of amount 0 for each. The caller has locked the supply
 * row.
 *
 * @throws 409 `insufficient_supply`
 */
export async function grantBonus(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { supply, grants, notes }: { supply: Supply; grants: readonly BonusGrant[]; notes: string | undefined },
): Promise<GrantedBonus[]> {
  const { clock, config } = services
  const quantity = grants.reduce((sum, grant) => sum + grant.quantity, 0)
  if (supply.remaining() < quantity) throw insufficientSupply(supply.remaining())
  supply.bonus += quantity
  await em.flush()

  const grantedAt = clock.productNow()
  const purchases = grants.map((grant) => ({ ...grant, purchaseId: newShownId() }))
  await storePurchases(em, purchases, { notes, grantedAt, now: clock.now() })
  const allocated = await allocateNodes(em, {
    kind: 'bonus',
    shares: purchases,
    allocatedAt: grantedAt,
    activeFrom: new Date(grantedAt.getTime() + ACTIVATION_DELAY),
  })
  const messages = purchases.map((purchase) => describeBonus(purchase, allocated.get(purchase.purchaseId)!))
  const mailIds = await notifyOwners(em, services, { topic: 'nodes', wait: receiptWait(config), messages })
  const receipts = purchases.map(({ userId, purchaseId }, index) => {
    const nodes = { ...allocated.get(purchaseId)!, price: null, deposits: [] }
    return { userId, cause: `purchase:${purchaseId}`, facts: nodesFacts(nodes), mailId: mailIds[index] }
  })
  await issueReceipts(em, services, receipts)
  await recordChanges(em, {
    userIds: purchases.map(({ userId }) => userId),
    keys: [listPurchases.path, getAuthUser.path, getUserNodes.path],
  })
  await recordChange(em, { keys: [getNodeStats.path] })
  return purchases.map((purchase) => ({ ...purchase, numbers: allocated.get(purchase.purchaseId)!.numbers }))
}

/** One statement for any number of grants, because the supply row is locked. */
async function storePurchases(
  em: EntityManager,
  purchases: readonly (BonusGrant & { purchaseId: string })[],
  { notes, grantedAt, now }: { notes: string | undefined; grantedAt: Date; now: Date },
): Promise<void> {
  const grants = purchases.map(({ purchaseId, userId, quantity }) => ({ id: purchaseId, owner: userId, count: quantity }))
  const instant = (at: Date) => sql<Date>`${at}::timestamptz`
  await query(em)
    .insertInto('purchases')
    .columns([
      ...(['id', 'user', 'requestedQuantity', 'finalQuantity', 'status', 'unitPrice', 'amount', 'adminNotes'] as const),
      ...(['createdAt', 'confirmedAt', 'openedAt', 'postedAt', 'closedAt'] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom(unnest('g', { id: 'uuid', owner: 'uuid', count: 'int' }, grants))
        .select(['g.id', 'g.owner', 'g.count as requested', 'g.count as final'])
        .select([
          eb.val('confirmed').as('state'),
          eb.lit(0).as('price'),
          eb.lit(0).as('total'),
          eb.val(notes ?? null).as('notes'),
        ])
        .select([instant(grantedAt).as('created'), instant(grantedAt).as('confirmed')])
        .select([instant(now).as('opened'), instant(now).as('posted'), instant(now).as('closed')]),
    )
    .execute()
}

function describeBonus(
  { userId, userEmail, language, purchaseId }: BonusGrant & { purchaseId: string },
  { numbers, activeFrom }: AllocatedNodes,
): OwnerMessage {
  const count = String(numbers.length)
  const isOne = numbers.length === 1
  return {
    to: { id: userId, email: userEmail, language },
    cause: `bonus_granted:${purchaseId}`,
    link: '/history',
    subject: isOne ? '1 bonus node is yours' : sentence('{count} bonus nodes are yours', { count }),
    paragraphs: [
      isOne
        ? 'Thank you for your purchases: 1 bonus node is yours.'
        : sentence('Thank you for your purchases: {count} bonus nodes are yours.', { count }),
      sentence(
        isOne
          ? 'It earns from {time}. XCR is paid daily at 09:00 UTC.'
          : 'They earn from {time}. XCR is paid daily at 09:00 UTC.',
        { time: activeFrom },
      ),
    ],
    facts: [
      ['Nodes', formatNodeNumbers(numbers)],
      ['Bonus', purchaseId],
    ],
  }
}
