import type { EntityManager } from '@mikro-orm/postgresql'
import { formatNodeNumbers } from '#shared/formatNodeNumbers.ts'
import { notifyOwners } from '#api/accounts/inbox/notifyOwners.ts'
import { readRecipients } from '#api/accounts/inbox/readRecipients.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { recordFrozenNodes } from '../purchases/recordPurchaseChange.ts'

interface FrozenNode {
  user: string
  purchase: string
  number: number
}

const contents = {
  frozen: {
    subject: 'Your nodes are on hold: their payment has vanished',
    paragraphs: [
      'BNB Smart Chain has replaced the block with their payment. The nodes stay yours, but earn nothing until the payment is back or our team restores them.',
      "It is usually back within minutes. Please don't pay again; contact us if they are still on hold tomorrow.",
    ],
  },
  left: {
    subject: 'Your nodes stay on hold',
    paragraphs: [
      'Their payment has not come back to BNB Smart Chain, and our team has closed it. The nodes earn nothing.',
      "If it is mined after all, they earn again, and the rewards of the days that they missed are paid too. Please don't pay again; contact us if you think this is wrong.",
    ],
  },
  thawed: {
    subject: 'Your nodes earn again',
    paragraphs: ['They are no longer on hold. The rewards of the days that they missed are paid too.'],
  },
  restored: {
    subject: 'Your nodes earn again',
    paragraphs: [
      'They are no longer on hold. The rewards of the days that they missed are paid too.',
      'Our team has restored them, but a payment for them is still missing from BNB Smart Chain. Until 30 days after the purchase, a transfer of the same amount from the same wallet pays for them and buys no others.',
    ],
  },
} as const

/**
 * Tells owners, and their open pages, that nodes earn nothing because a payment has vanished from the chain, that an administrator leaves
 * them so, or that they earn again, with or without the payment.
 */
export async function tellFrozen(
  em: EntityManager,
  services: MailServices,
  { nodes, state }: { nodes: readonly FrozenNode[]; state: keyof typeof contents },
): Promise<void> {
  if (nodes.length === 0) return
  const userIds = [...new Set(nodes.map(({ user }) => user))]
  const owners = await readRecipients(em, userIds)
  const messages = [...Map.groupBy(nodes, ({ purchase }) => purchase)].map(([purchase, group]) => ({
    to: owners.get(group[0]!.user)!,
    link: '/history',
    ...contents[state],
    facts: [
      ['Nodes', formatNodeNumbers(group.map(({ number }) => number).toSorted((a, b) => a - b))],
      ['Purchase', purchase],
    ] as const,
  }))
  await notifyOwners(em, services, { topic: 'nodes', messages })
  await recordFrozenNodes(em, userIds)
}
