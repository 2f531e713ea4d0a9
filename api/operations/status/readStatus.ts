import type { EntityManager } from '@mikro-orm/postgresql'
import type { ServiceStatus, Verdict } from '#shared/contract/status.ts'
import { listIncidents } from '#api/office/lists/listIncidents.ts'
import type { Services } from '#api/platform/services.ts'
import { arePaymentsLate, arePaymentsUnsettled, blocksBehind, readPaymentProgress } from './paymentProgress.ts'
import { arePayoutsLate, readPayoutProgress } from './payoutProgress.ts'
import { isRegisterLate, readRegisterProgress } from './registerProgress.ts'
import { areRewardsLate, readRewardProgress } from './rewardProgress.ts'

const stateOf = (isLate: boolean) => (isLate ? 'delayed' : 'ok')

/** What everybody may know of the product's health, by the limits of the health tab. */
export async function readStatus(
  em: EntityManager,
  { clock, config }: Pick<Services, 'clock' | 'config'>,
): Promise<ServiceStatus> {
  const [now, productNow] = [clock.now(), clock.productNow()]
  const parts = {
    payments: await readPayments(em, { now, confirmations: config.PAYMENT_CONFIRMATIONS }),
    rewards: await readRewards(em, productNow),
    payouts: await readPayouts(em, productNow),
    register: config.register ? await readRegister(em, now) : null,
    incidents: await readIncidents(em, now),
  }
  return { verdict: verdictOf(parts), readAt: now, ...parts }
}

/** The one rule for the line at the top of the status page. The caller that caches the figures decides on `outdated`. */
export function verdictOf(parts: Omit<ServiceStatus, 'verdict' | 'readAt'>): Verdict {
  const delays = (['payments', 'rewards', 'payouts', 'register'] as const).filter((part) => parts[part]?.state === 'delayed')
  if (delays.length > 1) return 'several_delayed'
  if (delays[0]) return `${delays[0]}_delayed`
  return parts.incidents.some(({ resolvedAt }) => resolvedAt === null) ? 'incident' : 'ok'
}

/** Without the administrator who wrote it. */
const readIncidents = async (em: EntityManager, now: Date): Promise<ServiceStatus['incidents']> =>
  (await listIncidents(em, now)).map(({ id, title, text, startedAt, updatedAt, resolvedAt }) => ({
    id,
    title,
    text,
    startedAt,
    updatedAt,
    resolvedAt,
  }))

async function readPayments(
  em: EntityManager,
  { now, confirmations }: { now: Date; confirmations: number },
): Promise<ServiceStatus['payments']> {
  const progress = await readPaymentProgress(em)
  const { block } = progress
  const isLate = arePaymentsLate(progress, now) || (await arePaymentsUnsettled(em, { block, confirmations }))
  return {
    state: stateOf(isLate),
    block: block ? Number(block.number) : null,
    blockTime: block?.time ?? null,
    blocksBehind: Number(blocksBehind(progress)),
  }
}

async function readRewards(em: EntityManager, productNow: Date): Promise<ServiceStatus['rewards']> {
  const progress = await readRewardProgress(em, productNow)
  return { state: stateOf(areRewardsLate(progress)), lastDay: progress.paid }
}

async function readPayouts(em: EntityManager, productNow: Date): Promise<ServiceStatus['payouts']> {
  const progress = await readPayoutProgress(em)
  return { state: stateOf(arePayoutsLate(progress, productNow)), waiting: progress.waiting, oldest: progress.oldest }
}

async function readRegister(em: EntityManager, now: Date): Promise<ServiceStatus['register']> {
  const progress = await readRegisterProgress(em, now)
  return { state: stateOf(isRegisterLate(progress)), lastDay: progress.day, anchoredAt: progress.anchoredAt }
}
