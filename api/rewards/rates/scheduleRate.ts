import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { settingRules } from '#shared/settingRules.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { requireShown } from '#api/platform/http/requireShown.ts'
import type { Services } from '#api/platform/services.ts'
import { changeSetting, instantOfChange } from '#api/sale/settings/changeSetting.ts'
import { readDailyRate } from './readDailyRate.ts'

export interface RateInput {
  /** In whole XCR. */
  rate: string
  /** Product time, by default now. */
  effectiveFrom?: Date | undefined
  /** The rate at that time as the page showed it, if it names it. */
  replaces?: bigint | undefined
  actor: string
  clientAddress: string
}

/**
 * Sets the daily rate from an instant on: runs at or after the instant use it, earlier ones do not. Replaces a rate set for the same
 * instant.
 *
 * @throws 400 if the time has passed or the rate is invalid; 409 `value_changed`.
 */
export async function scheduleRate(
  em: EntityManager,
  { clock }: Pick<Services, 'clock'>,
  { rate, effectiveFrom, replaces, actor, clientAddress }: RateInput,
): Promise<void> {
  const { read, message } = settingRules.xcr_per_node_daily
  const value = read(rate)
  if (value === undefined) throw refusal(400, 'invalid_request', message)
  // Serializes changes, as for every setting: the audit record of the later change starts from the result of the earlier one.
  await query(em).selectFrom('installation').select('id').where('id', '=', 1).forUpdate().execute()
  const [now, productNow] = [clock.now(), clock.productNow()]
  if (effectiveFrom && effectiveFrom < productNow) {
    throw refusal(400, 'invalid_request', 'The effective time must not be in the past. Rewards already paid keep their rate.')
  }
  const from =
    effectiveFrom ?? (await instantOfChange(em, { key: 'xcr_per_node_daily', now: productNow, time: 'productEffectiveAt' }))
  const before = await readDailyRate(em, from)
  // Both may want the same, or the answer of the first call was lost.
  if (before !== parseAmount(value))
    requireShown(formatAmount(before), replaces === undefined ? undefined : formatAmount(replaces))
  const ahead = productNow.getTime() - now.getTime()
  await changeSetting(em, {
    key: 'xcr_per_node_daily',
    value,
    effectiveAt: new Date(from.getTime() - ahead),
    productEffectiveAt: from,
    setBy: actor,
  })
  recordAudit(em, {
    actor,
    action: 'settings.change',
    target: 'xcr_per_node_daily',
    ipAddress: clientAddress,
    before: { value: formatAmount(before) },
    after: { value: formatAmount(parseAmount(value)!), effectiveFrom: from },
  })
}
