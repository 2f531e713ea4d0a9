import { readStored, store as storeText } from '#pwa/lib/deviceStorage.ts'
import { type Alarm, type CheckedNodes, OWN_MEMORY, useRegisterNews } from './news.ts'
import type { OwnNodes, SeenLog } from './seenLog.ts'
import type { StoredReport } from './storedReport.ts'

/** What the device remembers of one account. */
interface OwnMemory {
  own: OwnNodes | null
  checked: CheckedNodes | null
  /** Signed notes by position. */
  receipts: string[]
  /** Texts that its wallet signed for withdrawals which the site accepted. */
  messages: string[]
  /** The last check by itself: for which day, and when it began, in milliseconds. */
  attempt: { due: string; at: number } | null
  report: StoredReport | null
}

const SEEN = 'register_seen'
const ALARM = 'register_alarm'
const PUBLIC_REPORT = 'register_report'

const emptyMemory: OwnMemory = { own: null, checked: null, receipts: [], messages: [], attempt: null, report: null }

export const readSeen = (): SeenLog | null => read<SeenLog>(SEEN)
export const storeSeen = (seen: SeenLog): void => store(SEEN, seen)

export const readPublicReport = (): StoredReport | null => read<StoredReport>(PUBLIC_REPORT)
export const storePublicReport = (report: StoredReport): void => store(PUBLIC_REPORT, report)

export const readOwn = (userId: string): OwnMemory => ({ ...emptyMemory, ...read<Partial<OwnMemory>>(OWN_MEMORY + userId) })

export function storeOwn(userId: string, changes: Partial<OwnMemory>): void {
  const memory = { ...readOwn(userId), ...changes }
  store(OWN_MEMORY + userId, memory)
  useRegisterNews.setState({ checked: memory.checked })
}

/** Keeps what a wallet signed for an accepted withdrawal, so that the register can be searched for it without a receipt. */
export function keepMessage(userId: string, message: string): void {
  const { messages } = readOwn(userId)
  if (!messages.includes(message)) storeOwn(userId, { messages: [...messages, message] })
}

/** Shows what the device remembers. */
export function recallNews(userId: string | undefined): void {
  useRegisterNews.setState({ checked: userId ? readOwn(userId).checked : null, alarm: read<Alarm>(ALARM) })
}

/** Raises the alarm. An earlier one is kept: it has the first evidence. */
export function raiseAlarm(alarm: Alarm): void {
  const first = read<Alarm>(ALARM) ?? alarm
  store(ALARM, first)
  useRegisterNews.setState({ alarm: first })
}

export function dismissAlarm(): void {
  storeText(ALARM, null)
  useRegisterNews.setState({ alarm: null })
}

function read<Value>(key: string): Value | null {
  try {
    return JSON.parse(readStored(key) ?? 'null') as Value | null
  } catch {
    return null
  }
}

const store = (key: string, value: object): void => storeText(key, JSON.stringify(value))
