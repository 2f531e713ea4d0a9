import type { EntityManager } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import type { SettingKey } from '#shared/settings.ts'
import { settingRules } from '#shared/settingRules.ts'
import { address } from '#shared/wire/address.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { requireShown } from '#api/platform/http/requireShown.ts'
import { scheduleRate } from '#api/rewards/rates/scheduleRate.ts'
import type { Services } from '#api/platform/services.ts'
import { changeSettingNow } from '#api/sale/settings/changeSetting.ts'
import { readSettings } from '#api/sale/settings/readSettings.ts'

export interface SystemSettingChange {
  key: SettingKey
  value: string
  /** The value that the page showed, if it names it. */
  replaces?: string | undefined
  actor: string
  clientAddress: string
}

/**
 * Changes a setting with immediate effect and returns the stored form of its value.
 *
 * @throws 400 with the setting's own message, 409 `value_changed`.
 */
export async function changeSystemSetting(
  em: EntityManager,
  { clock, config }: Pick<Services, 'clock' | 'config'>,
  { key, value, replaces, actor, clientAddress }: SystemSettingChange,
): Promise<string> {
  const { read, message } = settingRules[key]
  const kept = read(value)
  if (kept === undefined) throw refusal(400, 'invalid_request', message)
  // Its daily sweep would be lost: the contract keeps what it is sent.
  if (key === 'fee_recipient_address' && kept === config.XCR_TOKEN_ADDRESS)
    throw refusal(400, 'invalid_request', 'The fee recipient must not be the contract of XCR, which keeps what it is sent.')
  if (key === 'fee_recipient_address' && (await isPayoutWallet(em, kept)))
    throw refusal(400, 'invalid_request', 'The fee recipient must not be a payout wallet, which would only pay itself.')
  if (key === 'xcr_per_node_daily') {
    await scheduleRate(
      em,
      { clock },
      { rate: kept, replaces: replaces === undefined ? undefined : parseAmount(replaces), actor, clientAddress },
    )
    return kept
  }
  // The lock serializes changes, so that each audit entry starts from the previous one's result.
  await query(em).selectFrom('installation').select('id').where('id', '=', 1).forUpdate().execute()
  const now = clock.now()
  const { [key]: before } = await readSettings(em)
  // The last value may be in force only later, if the clock of the machine that set it was ahead.
  if (before === kept && (await readSettings(em, now))[key] === kept) return kept
  requireShown(before, replaces && (read(replaces) ?? replaces))
  await changeSettingNow(em, { key, value: kept, now, setBy: actor })
  recordAudit(em, {
    actor,
    action: 'settings.change',
    target: key,
    ipAddress: clientAddress,
    before: { value: before },
    after: { value: kept },
  })
  return kept
}

async function isPayoutWallet(em: EntityManager, text: string): Promise<boolean> {
  const recipient = address.safeDecode(text)
  if (!recipient.success) return false
  return Boolean(
    await query(em).selectFrom('payout_wallets').select('address').where('address', '=', recipient.data).executeTakeFirst(),
  )
}
