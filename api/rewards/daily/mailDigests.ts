import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { DAY, utcDay } from '#shared/dates.ts'
import type { Config } from '#api/platform/config.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { formatTime } from '#api/platform/mail/formatTime.ts'
import { type NamedMail, queueMailsOnce } from '#api/platform/mail/queueMailsOnce.ts'
import type { Owner } from '#api/platform/mail/Reader.ts'
import { say } from '#api/platform/mail/say.ts'
import { siteUrl } from '#api/platform/mail/siteUrl.ts'
import { writeMail } from '#api/platform/mail/writeMail.ts'
import type { Services } from '#api/platform/services.ts'

/** Tells those who asked for it what a day has paid them. */
export const mailRewardDigests: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'mail-reward-digests',
  everySeconds: 5,
  run: mailDueDigests,
}

/** Mails written in one transaction. */
const BATCH = 500
/** An older day is no news any more: after an outage nobody gets a pile of mails. */
const NEWS_FOR = 2 * DAY
const BEFORE_ALL_USERS = '00000000-0000-0000-0000-000000000000'

type Needed = Pick<Services, 'orm' | 'jobs' | 'config' | 'clock'>

/** Any number of workers may; one that dies in the middle leaves the rest to the next, and nobody is mailed twice about a day. */
export async function mailDueDigests(services: Needed): Promise<void> {
  const { orm, clock } = services
  await sql(
    orm.em.fork(),
    'update reward_runs set digested_at = $1 where paid_at is not null and digested_at is null and day < $2',
    [clock.now(), utcDay(new Date(clock.productNow().getTime() - NEWS_FOR))],
  )
  const days = await sql<{ day: string }>(
    orm.em.fork(),
    'select day::text from reward_runs where paid_at is not null and digested_at is null order by day',
  )
  for (const { day } of days) {
    let after: string | undefined = BEFORE_ALL_USERS
    while (after !== undefined) {
      const from: string = after
      after = await orm.em.fork().transactional((em) => mailBatch(em, services, { day, after: from }))
    }
  }
}

interface Paid extends Owner {
  nodes: number
  rate: string
  amount: string
  balance: string
}

/** Mails the next few. Answers the last of them, or undefined if they were the last of all, or another worker is at it. */
async function mailBatch(
  em: EntityManager,
  { jobs, config, clock }: Needed,
  { day, after }: { day: string; after: string },
): Promise<string | undefined> {
  const [run] = await sql(em, 'select from reward_runs where day = $1 and digested_at is null for update skip locked', [day])
  if (!run) return undefined
  const readers = await sql<Paid>(
    em,
    `select u.id, u.email, u.language, d.active_nodes as nodes, d.rate, d.amount, a.balance
     from users u join distributions d on d.day = $1 and d.user_id = u.id join accounts a on a.id = u.id
     where u.wants_reward_digest and u.id > $2 order by u.id limit ${BATCH}`,
    [day, after],
  )
  await queueMailsOnce(
    em,
    jobs,
    readers.map((reader) => composeDigest(config, { day, ...reader })),
  )
  if (readers.length === BATCH) return readers.at(-1)!.id
  await sql(em, 'update reward_runs set digested_at = $2 where day = $1', [day, clock.now()])
  return undefined
}

function composeDigest(config: Config, { day, ...reader }: Paid & { day: string }): NamedMail {
  const xcr = (figure: string) => `${formatAmount(BigInt(figure), { grouped: true })} XCR`
  const date = formatTime[reader.language].day(new Date(day))
  const [amount, count] = [xcr(reader.amount), reader.nodes]
  const factors = { count, rate: xcr(reader.rate), amount }
  const mail = writeMail(reader, config, {
    subject: say('Your nodes earned {amount}', { amount }),
    paragraphs: [
      say('What your nodes earned on {day}, 09:00 UTC:', { day: date }),
      say('All of it is in your history: {address}', { address: `${siteUrl(config)}/history` }),
      'You asked for this mail. The same page turns it off.',
    ],
    highlight: amount,
    facts: [
      ['Date', date],
      [
        'Calculation',
        count === 1 ? say('{count} node × {rate} = {amount}', factors) : say('{count} nodes × {rate} = {amount}', factors),
      ],
      ['Balance now', xcr(reader.balance)],
    ],
  })
  return { ...mail, name: `reward-digest:${day}:${reader.id}` }
}
