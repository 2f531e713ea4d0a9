import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { MINUTE } from '#shared/dates.ts'
import { type SettingKey } from '#shared/settings.ts'
import { query } from '#api/entities/tables.ts'
import { newId, newIdAfter } from '#api/platform/db/newId.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { FIRST_INSTANT_OF_OPEN_DAY, keepDaysOpen } from '../supply/openDays.ts'

export interface SettingInput {
  key: SettingKey
  value: string
  /** Real time. */
  effectiveAt: Date
  /** The same instant in product time, if it is not now. Only the daily rate follows product time, so no other setting can be scheduled. */
  productEffectiveAt?: Date | undefined
  /** The actor as in the audit log. */
  setBy?: string
}

/**
 * Sets a new value and keeps the old one as history, because a payment is settled by the price at the time of its block. The caller holds
 * the lock of changes.
 */
export async function changeSetting(
  em: EntityManager,
  { key, value, effectiveAt, productEffectiveAt, setBy }: SettingInput,
): Promise<void> {
  if (key === 'xcr_per_node_daily') await keepDaysOpen(em)
  const id = await idOfChange(em, key)
  // Both times are stored, because a demo moves product time relative to real time. A closed day keeps its rate.
  await query(em)
    .insertInto('setting_changes')
    .columns(['id', 'key', 'value', 'effectiveAt', 'productEffectiveAt', 'setBy'])
    .expression((eb) => {
      const asked = sql<Date>`${productEffectiveAt ?? null}::timestamptz`
      const sameInstant = sql<Date>`${effectiveAt}::timestamptz + ${sql.ref('installation.clockOffsetMs')} * interval '1 ms'`
      return eb
        .selectFrom('installation')
        .select([
          sql<string>`${id}::uuid`.as('id'),
          eb.val(key).as('key'),
          eb.val(value).as('value'),
          sql<Date>`${effectiveAt}::timestamptz`.as('at'),
          sql<Date>`greatest(coalesce(${asked}, ${sameInstant}), (${sql.raw(FIRST_INSTANT_OF_OPEN_DAY)}))`.as('productAt'),
          eb.val(setBy ?? null).as('setBy'),
        ])
        .where('installation.id', '=', 1)
    })
    .execute()
  const shown = key === 'xcr_per_node_daily' ? [getUserNodes.path] : []
  await recordChange(em, { keys: [listSystemSettings.path, getNodeSettings.path, getNodeStats.path, ...shown] })
}

/** Of changes that take effect at one instant the one with the last id counts, so a later change has a later id than all earlier ones. */
async function idOfChange(em: EntityManager, key: SettingKey): Promise<string> {
  const last = await query(em)
    .selectFrom('setting_changes')
    .select('id')
    .where('key', '=', key)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last ? newIdAfter(last.id) : newId()
}

/** A change that takes effect later than this was scheduled, or comes from a machine whose clock is wrong. */
const MAX_CLOCK_DIFFERENCE = MINUTE

/**
 * The instant at which a change that is made now takes effect: after all earlier ones, even if the clock of the machine that made them was
 * ahead. The caller holds the lock of changes.
 */
export async function instantOfChange(
  em: EntityManager,
  { key, now, time }: { key: SettingKey; now: Date; time: 'effectiveAt' | 'productEffectiveAt' },
): Promise<Date> {
  const { last } = await query(em)
    .selectFrom('setting_changes')
    .select((eb) => eb.fn.max(time).as('last'))
    .where('key', '=', key)
    .where(time, '<=', new Date(now.getTime() + MAX_CLOCK_DIFFERENCE))
    .executeTakeFirstOrThrow()
  return last && last >= now ? new Date(last.getTime() + 1) : now
}

/** Changes a setting that cannot be scheduled, from now on and after every change so far. The caller holds the lock of changes. */
export async function changeSettingNow(
  em: EntityManager,
  { now, ...change }: Omit<SettingInput, 'effectiveAt' | 'productEffectiveAt'> & { now: Date },
): Promise<void> {
  const effectiveAt = await instantOfChange(em, { key: change.key, now, time: 'effectiveAt' })
  await changeSetting(em, { ...change, effectiveAt })
  const { last } = await query(em)
    .selectFrom('setting_changes')
    .select((eb) => eb.fn.max('effectiveAt').as('last'))
    .where('key', '=', change.key)
    .executeTakeFirstOrThrow()
  // The clock of another machine was far ahead: its change would take effect later and undo this one.
  if (last && last > effectiveAt) await changeSetting(em, { ...change, effectiveAt: new Date(last.getTime() + 1) })
}
