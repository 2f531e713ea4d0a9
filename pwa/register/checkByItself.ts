import { HOUR } from '#shared/dates.ts'
import { checkOwnNodes } from './checkOwnNodes.ts'
import { raiseAlarm, readOwn, readSeen, storeOwn, storeSeen } from './deviceMemory.ts'
import type { CheckedNodes } from './news.ts'
import { collectReceipts, findDays, readDay, readPromises } from './ownAnswers.ts'
import { RegisterFiles } from './RegisterFiles.ts'
import { failuresOf } from './storedReport.ts'
import { watchAccount } from './watchAccount.ts'

/** After an attempt that found no new day. */
const RETRY_AFTER = HOUR

/**
 * Verifies the account's nodes on the newest day, at most once a day. A failure raises the alarm. Whatever cannot be read is left
 * to the next visit. Rejects, and says and keeps nothing, if the account changes meanwhile.
 *
 * @param due the last day whose 09:00 has passed.
 */
export async function checkByItself(user: { id: string; email: string }, due: string): Promise<void> {
  const memory = readOwn(user.id)
  if (memory.checked && memory.checked.day >= due) return
  if (memory.attempt?.due === due && Date.now() - memory.attempt.at < RETRY_AFTER) return
  const ensureSameAccount = watchAccount()
  storeOwn(user.id, { attempt: { due, at: Date.now() } })
  const day = (await findDays())?.last
  ensureSameAccount()
  const { checked, own: before } = memory
  if (checked && (!day || day < checked.day)) return alarmOf(checked, day)
  if (!day || checked?.day === day) return
  const seen = readSeen()
  // Changes of the log key up to what was seen are not needed again.
  const isFollowed = before && before.day < day && seen?.logKey && before.dayIndex < seen.size
  const [answer, receipts] = await Promise.all([
    readDay(day, isFollowed ? before.dayIndex : -1),
    collectReceipts(user.id, ensureSameAccount),
  ])
  ensureSameAccount()
  const { genesis, numbers } = readPromises(receipts, day)
  const {
    report,
    own,
    seen: next,
  } = await checkOwnNodes({
    files: new RegisterFiles(),
    host: location.host,
    day,
    answer,
    email: user.email,
    genesis,
    promised: numbers,
    seen,
    before,
  })
  ensureSameAccount()
  const failures = failuresOf(report)
  if (failures.length > 0) raiseAlarm({ at: new Date().toISOString(), failures })
  if (next) storeSeen(next)
  if (own) storeOwn(user.id, { own, checked: own.nodes > 0 ? { day, nodes: own.nodes, reward: own.reward } : null })
}

/** Days stay in the register. */
function alarmOf(checked: CheckedNodes, day: string | undefined): void {
  const detail = `this device checked ${checked.day}, but this site says that ${day ?? 'no day'} is the last one in the register`
  raiseAlarm({ at: new Date().toISOString(), failures: [{ tick: 'growth', detail, evidence: JSON.stringify(checked) }] })
}
