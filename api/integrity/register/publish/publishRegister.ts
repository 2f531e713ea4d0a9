import { MINUTE, SECOND, utcDay } from '#shared/dates.ts'
import { compareGenesis } from '#shared/register/compareGenesis.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import type { Config } from '#api/platform/config.ts'
import { lockNamed, tryLockWhileIdle } from '#api/platform/db/advisoryLocks.ts'
import { sql } from '#api/platform/db/sql.ts'
import { isAlert } from '#api/platform/log/createLog.ts'
import { type Sweep, TryLater } from '#api/platform/jobs/defineJob.ts'
import { mailOperatorOnce } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { AnchorTooYoung, findWrongContract, RegisterStopped, requireOwnAnchors } from '../checkAnchors.ts'
import { reportUnanchored } from '../registerState.ts'
import { appendFacts, hasFacts, OtherLogKey } from './appendFacts.ts'
import { appendIgnored } from './appendIgnored.ts'
import type { Endpoints } from './chainFigures.ts'
import { ChainTooYoung, BooksIncomplete, EquationFalse } from './checkEquations.ts'
import { recordHeld } from './heldRegister.ts'
import { ensureOwnerKeys } from './keyFacts.ts'
import { numberRefunds } from './numberRefunds.ts'
import { openLog } from './openLog.ts'
import { takeSnapshot } from './takeSnapshot.ts'

export type PublishServices = Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>

/** Publishes facts and paid days. An idle run costs a few small queries. */
export const publishRegister: Sweep<'clock' | 'config' | 'jobs' | 'orm'> = {
  name: 'publish-register',
  everySeconds: 2,
  run: (services) => publishNewest(services),
}

/** While no day can be published, it is tried again after this time. */
const RETRY_DELAY = MINUTE

/**
 * The points at which tests inject faults.
 *
 * - facts: facts that wait for no day are stored and signed, not committed
 * - committed: they are committed, and a day has not begun
 * - read: a day's rows are read and its entries written, nothing is stored
 * - stored: the day is stored and signed, not committed
 * - published: everything is committed
 */
export const publishSteps = ['facts', 'committed', 'read', 'stored', 'published'] as const
export type PublishStep = (typeof publishSteps)[number]

export interface PublishOptions {
  endpoints?: Endpoints
  step?: (step: PublishStep) => Promise<void>
}

/** Connections are kept between runs. */
const connections = new WeakMap<Config, Endpoints>()

/**
 * One round. All of it happens in one transaction, so it may be killed at any point and repeated. Only one worker publishes at a time; what
 * it holds is a lock of its own, which purchases, rewards and payouts never wait for.
 */
export async function publishNewest(
  services: PublishServices,
  { endpoints, step = async () => {} }: PublishOptions = {},
): Promise<void> {
  const { config, orm } = services
  if (!config.register) return
  const known = endpoints ?? connections.get(config) ?? { payment: paymentEndpoints(config), reward: rewardEndpoints(config) }
  connections.set(config, known)
  await requireOwnGenesis(services)
  const isDayDue = await hasUnpublishedDay(services)
  if (!isDayDue && !(await hasFacts(services))) return
  const em = orm.em.fork()
  await em.begin()
  try {
    if (!(await tryLockWhileIdle(em, lockNamed('publish-register')))) return
    await requireOwnAnchors(services, known.payment)
    await requireRightContract(services, known.payment)
    if (isDayDue) {
      await ensureOwnerKeys(services)
      await numberRefunds(services, known.payment)
    }
    await appendFacts(services, { beforeCommit: () => step('facts') })
    await step('committed')
    if (isDayDue) await appendIgnored(services)
    if (isDayDue) await takeSnapshot(services, { endpoints: known, step })
    await step('published')
  } catch (error) {
    // Reported once, when it was stopped. It stays stopped until an operator resumes it.
    if (error instanceof RegisterStopped && !isAlert(error)) return
    if (error instanceof OtherLogKey) await mailDaily(services, error.message)
    if (error instanceof ChainTooYoung || error instanceof AnchorTooYoung) return
    if (!(error instanceof EquationFalse || error instanceof BooksIncomplete || error instanceof FormatError)) throw error
    const isNew = await recordHeld(services, error)
    const message = `the public register publishes no day: ${error.message}`
    throw new TryLater(isNew ? `ALERT: ${message}` : message, { seconds: RETRY_DELAY / SECOND })
  } finally {
    await em.rollback()
  }
}

/** The configurations that were compared with the log. */
const compared = new WeakSet<Config>()

/** Once in a process: the log goes on with the site and tokens of its first entry, but readers refuse it at others. */
async function requireOwnGenesis(services: PublishServices): Promise<void> {
  const { config, orm } = services
  if (compared.has(config)) return
  const log = await openLog(orm.em.fork())
  if (!log || !config.register) return
  const { USDT_ADDRESS: usdt, XCR_TOKEN_ADDRESS: xcr } = config
  const because = compareGenesis(log.genesis, { origin: config.register.origin, usdt, xcr })
  if (because !== undefined) await mailDaily(services, because)
  compared.add(config)
  if (because !== undefined) throw new Error(`ALERT: ${because}`)
}

/** Mails the operator about a wrong configuration, at most once a day: it lasts until somebody corrects it. */
const mailDaily = (services: PublishServices, message: string): Promise<void> => {
  const because = message.replace('ALERT: ', '')
  return mailOperatorOnce(services, {
    name: `${utcDay(services.clock.now())}: ${because}`,
    subject: `${services.config.BRAND_NAME}: the public register needs an operator`,
    paragraphs: [because],
  })
}

/** A contract is named once and for ever, so nothing is published before the configured one is known to be right. */
async function requireRightContract(services: PublishServices, endpoints: Endpoints['payment']): Promise<void> {
  const because = await findWrongContract(services, endpoints)
  if (because === undefined) return
  const isNew = await reportUnanchored(services, because)
  throw new TryLater(isNew ? `ALERT: ${because}` : because, { seconds: RETRY_DELAY / SECOND })
}

async function hasUnpublishedDay({ orm }: Pick<Services, 'orm'>): Promise<boolean> {
  const rows = await sql(
    orm.em.fork(),
    `select from reward_runs where paid_at is not null and day > coalesce((select max(day) from register_days), '-infinity') limit 1`,
  )
  return rows.length > 0
}
