import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { DAY, utcDay } from '#shared/dates.ts'
import { storeAndPush } from '#api/accounts/inbox/queuePushes.ts'
import type { Config } from '#api/platform/config.ts'
import { LOWEST_ID } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { formatTime } from '#api/platform/mail/formatTime.ts'
import { type NamedMail, queueMailsOnce } from '#api/platform/mail/queueMailsOnce.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { siteUrl } from '#api/platform/mail/siteUrl.ts'
import { writeMail } from '#api/platform/mail/writeMail.ts'
import type { Services } from '#api/platform/services.ts'

/** Tells those who asked for it what each day paid, by mail, in the inbox and by push. */
export const mailRewardDigests: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'mail-reward-digests',
  everySeconds: 5,
  run: mailDueDigests,
}

/** Number of mails written in one transaction. */
const BATCH_SIZE = 500
/** Older days are skipped, so that an outage does not cause many mails. */
const MAX_DIGEST_AGE = 2 * DAY

type DigestServices = Pick<Services, 'orm' | 'jobs' | 'config' | 'clock'>

/** Any number of workers may run it. After a crash another worker continues, and no user gets two mails about a day. */
export async function mailDueDigests(services: DigestServices): Promise<void> {
  const { orm, clock } = services
  const db = query(orm.em.fork())
  await db
    .updateTable('reward_runs')
    .set({ digestedAt: clock.now() })
    .where('paidAt', 'is not', null)
    .where('digestedAt', 'is', null)
    .where('day', '<', utcDay(new Date(clock.productNow().getTime() - MAX_DIGEST_AGE)))
    .execute()
  const days = await db
    .selectFrom('reward_runs')
    .select('day')
    .where('paidAt', 'is not', null)
    .where('digestedAt', 'is', null)
    .orderBy('day')
    .execute()
  for (const { day } of days) {
    let after: string | undefined = LOWEST_ID
    while (after !== undefined) {
      const from: string = after
      after = await orm.em.fork().transactional((em) => mailBatch(em, services, { day, after: from }))
    }
  }
}

/** Mails the next batch. Returns the id of its last recipient, or undefined if there are no more or another worker is mailing the day. */
async function mailBatch(
  em: EntityManager,
  { jobs, config, clock }: DigestServices,
  { day, after }: { day: string; after: string },
): Promise<string | undefined> {
  const run = await query(em)
    .selectFrom('reward_runs')
    .select('day')
    .where('day', '=', day)
    .where('digestedAt', 'is', null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!run) return undefined
  const recipients = await readRecipients(em, { day, after })
  await storeAndPush(em, jobs, {
    topic: 'rewards',
    messages: recipients.flatMap((recipient) =>
      recipient.wantsMessage || recipient.wantsPush ? describeReward({ day, ...recipient }) : [],
    ),
  })
  await queueMailsOnce(
    em,
    jobs,
    recipients.flatMap((recipient) => (recipient.wantsRewardDigest ? composeDigest(config, { day, ...recipient }) : [])),
  )
  if (recipients.length === BATCH_SIZE) return recipients.at(-1)!.id
  await query(em).updateTable('reward_runs').set({ digestedAt: clock.now() }).where('day', '=', day).execute()
  return undefined
}

/** The next batch of those whom the day has paid and who asked to be told. */
const readRecipients = (em: EntityManager, { day, after }: { day: string; after: string }) =>
  query(em)
    .selectFrom('users as u')
    .innerJoin('distributions as d', (join) => join.on('d.day', '=', day).onRef('d.user', '=', 'u.id'))
    .innerJoin('accounts as a', 'a.id', 'u.id')
    .leftJoin('message_choices as c', (join) => join.onRef('c.user', '=', 'u.id').on('c.topic', '=', 'rewards'))
    .select(['u.id', 'u.email', 'u.language', 'u.wantsRewardDigest', 'c.inbox as wantsMessage', 'c.push as wantsPush'])
    .select(['d.activeNodes as count', 'd.rate', 'd.amount', 'a.balance'])
    .where((eb) => eb.or([eb('u.wantsRewardDigest', '=', true), eb('c.inbox', '=', true), eb('c.push', '=', true)]))
    .where('u.id', '>', after)
    .orderBy('u.id')
    .limit(BATCH_SIZE)
    .execute()

type DigestRecipient = Awaited<ReturnType<typeof readRecipients>>[number]

function composeDigest(config: Config, { day, ...recipient }: DigestRecipient & { day: string }): NamedMail {
  const { amount, calculation, balance } = describeFigures(recipient)
  const date = formatTime[recipient.language].day(new Date(day))
  const mail = writeMail(recipient, config, {
    subject: sentence('Your nodes earned {amount}', { amount }),
    paragraphs: [
      sentence('What your nodes earned on {day}, 09:00 UTC:', { day: date }),
      sentence('See your full history: {address}', { address: `${siteUrl(config)}/history` }),
      'You signed up for this email. You can turn it off on the same page.',
    ],
    highlight: amount,
    facts: [
      ['Date', date],
      ['Calculation', calculation],
      ['Balance now', balance],
    ],
  })
  return { ...mail, name: `reward-digest:${day}:${recipient.id}` }
}

function describeReward({ day, ...recipient }: DigestRecipient & { day: string }) {
  const { amount, calculation, balance } = describeFigures(recipient)
  return {
    userId: recipient.id,
    cause: `reward:${day}`,
    link: '/history',
    isListed: recipient.wantsMessage === true,
    isPushed: recipient.wantsPush === true,
    subject: sentence('Your nodes earned {amount}', { amount }),
    paragraphs: [],
    facts: [
      ['Date', day],
      ['Calculation', calculation],
      ['Balance now', balance],
    ] as const,
  }
}

const xcr = (figure: bigint): string => `${formatAmount(figure, { grouped: true })} XCR`

function describeFigures({ count, rate, amount, balance }: DigestRecipient) {
  const factors = { count, rate: xcr(rate), amount: xcr(amount) }
  return {
    amount: factors.amount,
    calculation:
      count === 1
        ? sentence('{count} node × {rate} = {amount}', factors)
        : sentence('{count} nodes × {rate} = {amount}', factors),
    balance: xcr(balance),
  }
}
