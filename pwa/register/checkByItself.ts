import { dayBefore } from '#shared/rewardTime.ts'
import { HOUR } from '#shared/dates.ts'
import { checkOwnNodes } from './checkOwnNodes.ts'
import { raiseAlarm, readOwn, readSeen, storeOwn, storeSeen } from './deviceMemory.ts'
import { collectReceipts, readDay, readPromises } from './ownAnswers.ts'
import { RegisterFiles } from './RegisterFiles.ts'
import { failuresOf } from './storedReport.ts'

/** After an attempt that found no new day. */
const RETRY_AFTER = HOUR

/**
 * Verifies the account's nodes on the newest day, at most once a day. A failure raises the alarm. Whatever cannot be read is left
 * to the next visit.
 *
 * @param due the last day whose 09:00 has passed.
 */
export async function checkByItself(user: { id: string; email: string }, due: string): Promise<void> {
  const memory = readOwn(user.id)
  if (memory.checked && memory.checked.day >= due) return
  if (Date.now() - memory.attemptedAt < RETRY_AFTER && memory.checked?.day === dayBefore(due)) return
  storeOwn(user.id, { attemptedAt: Date.now() })
  const after = memory.own ? memory.own.dayIndex : -1
  for (const day of [due, dayBefore(due)]) {
    if (memory.checked && memory.checked.day >= day) return
    const answer = await readDay(day, after)
    if (!answer) continue
    const receipts = await collectReceipts(user.id)
    const { genesis, numbers } = readPromises(receipts, day)
    const { report, own, seen } = await checkOwnNodes({
      files: new RegisterFiles(),
      day,
      answer,
      email: user.email,
      genesis,
      promised: numbers,
      seen: readSeen(),
      before: memory.own,
    })
    const failures = failuresOf(report)
    if (failures.length > 0) raiseAlarm({ at: new Date().toISOString(), failures })
    if (seen) storeSeen(seen)
    if (own) storeOwn(user.id, { own, checked: { day: own.day, nodes: own.nodes, reward: own.reward } })
    return
  }
}
