import type { EntityManager } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import type { SettingKey } from '#shared/settings.ts'
import { timeOfId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import type { Fact } from './Draft.ts'
import { readSubjects } from './readSubjects.ts'

/** The time from which the first value of a setting holds. */
export const BEGINNING = new Date(0)

const publishedKeys = ['node_price_usdt', 'xcr_per_node_daily', 'withdrawal_fee_amount', 'sales_enabled'] as const

interface Options {
  now: Date
  /** Prices and fees hold from after this time, so that none is set for a time that books have covered. */
  notBefore: Date | undefined
}

/** Changes of the price, the rate, the withdrawal fee and the state of sales that are not in the log. */
export async function settingFacts(em: EntityManager, { now, notBefore }: Options): Promise<Fact[]> {
  const rows = await query(em)
    .selectFrom('setting_changes')
    .select(['id', 'key', 'value', 'effectiveAt', 'productEffectiveAt'])
    .where('key', 'in', publishedKeys)
    .orderBy('id')
    .execute()
  const published = await readSubjects(em, ['rate', 'price', 'fee', 'note'])
  const facts: Fact[] = []
  const latest = new Map<SettingKey, string>()
  const times = timesOf(rows, now)
  for (const { id, key, value, effectiveAt, productEffectiveAt } of rows) {
    const before = latest.get(key)
    latest.set(key, value)
    const subject = `setting:${id}`
    if (published.has(subject)) continue
    const time = times.get(id)!
    const at =
      before === undefined ? BEGINNING : key === 'xcr_per_node_daily' ? productEffectiveAt : later(effectiveAt, notBefore)
    const amount = parseAmount(value) ?? 0n
    if (key === 'xcr_per_node_daily') facts.push({ subject, time, entry: { kind: 'rate', time, from: at, rate: amount } })
    else if (key === 'withdrawal_fee_amount') facts.push({ subject, time, entry: { kind: 'fee', time, from: at, fee: amount } })
    else if (key === 'sales_enabled') facts.push(...salesFacts({ subject, time, value, before }))
    // A price of zero stops sales, and there is no such entry.
    else if (amount > 0n) facts.push({ subject, time, entry: { kind: 'price', time, from: at, price: amount } })
  }
  return facts
}

/**
 * When changes were made, by id. Those of a machine whose clock is ahead of this one's were made by now. The times of one setting differ, so
 * that no two entries are equal.
 */
function timesOf(rows: readonly { id: string; key: SettingKey }[], now: Date): Map<string, Date> {
  const times = new Map<string, Date>()
  const latest = new Map<SettingKey, Date>()
  for (const { id, key } of rows.toReversed()) {
    const time = earlier(timeOfId(id), latest.get(key) ?? now)
    times.set(id, time)
    latest.set(key, new Date(time.getTime() - 1))
  }
  return times
}

function salesFacts({
  subject,
  time,
  value,
  before = 'true',
}: {
  subject: string
  time: Date
  value: string
  before?: string | undefined
}): Fact[] {
  if ((value === 'true') === (before === 'true')) return []
  const topic = value === 'true' ? 'sales-resumed' : 'sales-stopped'
  return [{ subject, time, entry: { kind: 'note', time, topic, subject: null, text: null } }]
}

export const earlier = (a: Date, b: Date): Date => (a < b ? a : b)
export const later = (a: Date, b: Date | undefined): Date => (b === undefined || a > b ? a : b)
