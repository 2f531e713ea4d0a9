import { create } from 'zustand'
import { DAY } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { useLanguage } from '#pwa/i18n/language.ts'
import { readStored, store } from '#pwa/lib/deviceStorage.ts'

/** `lists`: each list in its own zone, which is Seoul's for withdrawals and UTC otherwise, as the specification says. */
export const zoneChoices = ['lists', 'utc', 'seoul', 'device'] as const
export type ZoneChoice = (typeof zoneChoices)[number]

const STORAGE_KEY = 'admin_time_zone'

function readChoice(): ZoneChoice {
  const stored = readStored(STORAGE_KEY)
  return zoneChoices.find((choice) => choice === stored) ?? 'lists'
}

/** The zone that this browser's administrator has chosen for all lists. */
export const useZoneChoice = create<{ choice: ZoneChoice }>()(() => ({ choice: readChoice() }))

export function chooseZone(choice: ZoneChoice): void {
  store(STORAGE_KEY, choice)
  useZoneChoice.setState({ choice })
}

export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The zone in which a list shows its times, unless one is chosen for all. */
export function zoneOf(own: 'UTC' | 'Asia/Seoul' = 'UTC'): string {
  const { choice } = useZoneChoice.getState()
  if (choice === 'utc') return 'UTC'
  if (choice === 'seoul') return 'Asia/Seoul'
  return choice === 'device' ? deviceZone() : own
}

/** "UTC", "Seoul", or as the browser calls it: "Europe/Berlin". */
export const nameZone = (zone: string): string => (zone === 'Asia/Seoul' ? t('Seoul') : zone)

/** 20 Nov 2026, the day in the zone. */
export const formatDayIn = (date: Date, zone: string): string => formatIn(date, zone, false)

/** 20 Nov 2026, 07:31 UTC, in the chosen zone: for a time that stands alone. */
export function formatTime(date: Date): string {
  const zone = zoneOf()
  return `${formatTimeIn(date, zone)} ${nameZone(zone)}`
}

/** 20 Nov 2026, 07:31:04 UTC: with seconds, to tell apart what happens within a minute. */
export function formatSecond(date: Date): string {
  const zone = zoneOf()
  return `${formatTimeIn(date, zone).replace(/\d\d:\d\d$/, formatClockIn(date, zone))} ${nameZone(zone)}`
}

/** 20 Nov 2026, 07:31, in the zone. */
export const formatTimeIn = (date: Date, zone: string): string => formatIn(date, zone, true)

function formatIn(date: Date, timeZone: string, withTime: boolean): string {
  const isKorean = useLanguage.getState().language === 'ko'
  return new Intl.DateTimeFormat(isKorean ? 'ko-KR' : 'en-GB', {
    timeZone,
    day: isKorean ? 'numeric' : '2-digit',
    month: 'short',
    year: 'numeric',
    ...(withTime && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  }).format(date)
}

/** 07:31:04, in the zone. */
export const formatClockIn = (date: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(
    date,
  )

/** When a day (YYYY-MM-DD) begins in a zone. */
export function beginOfDay(day: string, zone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // The offset may differ between the first guess and the result, where clocks change on that day.
  const guess = midnight - offsetAt(midnight, zone)
  return new Date(midnight - offsetAt(guess, zone))
}

/** The day after. */
export const dayAfter = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10)

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '00'
  const wall = `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}Z`
  return Date.parse(wall) - Math.floor(at / 1000) * 1000
}
