import type { EntityManager } from '@mikro-orm/postgresql'
import { type InboxTopic, REQUIRED_TOPIC } from '#shared/contract/inbox.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { queueMails } from '#api/platform/mail/queueMail.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { type MailContent, writeMail } from '#api/platform/mail/writeMail.ts'
import { readChoices } from './messageChoices.ts'
import { storeAndPush } from './queuePushes.ts'
import { storeFreezeLinks } from './storeFreezeLinks.ts'

export interface OwnerMessage extends Omit<MailContent, 'action'> {
  to: Owner
  /** What happened, such as `withdrawal_paid:<id>`. An account is told of it once. Absent if it happens once by itself. */
  cause?: string
  /** The path of the page with what it is about. */
  link: string | null
}

interface Delivery {
  topic: InboxTopic
  /** Milliseconds until the mails are sent at the earliest. */
  wait?: number
  /** It is out of date before a mail is read. */
  noMail?: true
  /** The account is frozen already. */
  noFreezeLink?: true
}

/**
 * Tells owners in the caller's transaction what happened: in the inbox, by mail and by push, as they have chosen. A mail about security
 * has a link that freezes the account; inbox and push have none, because a stolen session can read them (money.md 39).
 *
 * @returns the ids of the mails, in the order of the messages. Undefined for owners who are not mailed.
 */
export async function notifyOwners(
  em: EntityManager,
  { jobs, config }: MailServices,
  { topic, wait = 0, noMail, noFreezeLink, messages }: Delivery & { messages: readonly OwnerMessage[] },
): Promise<(string | undefined)[]> {
  const wants = await readChoices(em, { topic, userIds: messages.map(({ to }) => to.id) })
  const messageIds = await storeAndPush(em, jobs, {
    topic,
    messages: messages.map(({ to, ...message }) => {
      const { inbox, push } = wants(to.id)
      return { ...message, userId: to.id, isListed: inbox, isPushed: push }
    }),
  })
  const mailed = messages.map(({ to }, index) => (noMail || !wants(to.id).mail ? undefined : messageIds[index]))
  const links =
    topic === REQUIRED_TOPIC && !noFreezeLink
      ? await storeFreezeLinks(
          em,
          config,
          messages.flatMap(({ to }, index) => (mailed[index] ? { userId: to.id, messageId: mailed[index] } : [])),
        )
      : []
  const mails = messages.map(({ to, ...content }, index) => {
    if (!mailed[index]) return undefined
    const address = links.shift()
    return writeMail(to, config, { ...content, ...(address !== undefined && { action: freezeAction(address) }) })
  })
  const ids = await queueMails(
    em,
    jobs,
    mails.filter((mail) => mail !== undefined),
    { wait },
  )
  return mails.map((mail) => mail && ids.shift())
}

const freezeAction = (address: string): NonNullable<MailContent['action']> => ({
  label: "This wasn't me: freeze my account",
  address,
  note: 'The link works once, for 7 days. It stops withdrawals and changes of your account at once. Nodes, payments and rewards go on.',
})

/** Tells one owner. @returns the id of the mail, if there is one. */
export async function notifyOwner(
  em: EntityManager,
  services: MailServices,
  { topic, wait = 0, noFreezeLink, ...message }: Omit<Delivery, 'noMail'> & OwnerMessage,
): Promise<string | undefined> {
  const [mailId] = await notifyOwners(em, services, {
    topic,
    wait,
    ...(noFreezeLink && { noFreezeLink }),
    messages: [message],
  })
  return mailId
}
