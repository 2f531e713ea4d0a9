import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { spawnBound } from '#api/dev/spawnBound.ts'
import type { LoadPlan, LoadReport } from './LoadPlan.ts'

interface Course {
  /** A fifth of the event streams are open. */
  onWarm?: () => void
  /** All event streams are open. */
  onOpen?: () => void
}

/**
 * Runs the driver process.
 *
 * @param meanwhile runs from T0 on. The visitors stay connected until it has finished.
 */
export async function runDriver(
  plan: LoadPlan,
  meanwhile: () => Promise<void>,
  { onWarm, onOpen }: Course = {},
): Promise<LoadReport> {
  const driver = spawnBound(process.execPath, [path.join(import.meta.dirname, 'drive.ts'), JSON.stringify(plan)], {
    deathSignal: 'KILL',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(driver, 'exit')
  const lines = createInterface({ input: driver.stdout! })[Symbol.asyncIterator]()
  const expectLine = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('The load driver ended early.')
    return value
  }
  await expectLine()
  onWarm?.()
  await expectLine()
  onOpen?.()
  await expectLine()
  driver.stdin?.write('go\n')
  await Promise.all([meanwhile(), expectLine()])
  driver.stdin?.write('end\n')
  const report = JSON.parse(await expectLine()) as LoadReport
  await ended
  return report
}
