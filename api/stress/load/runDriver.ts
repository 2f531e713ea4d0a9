import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { spawnBound } from '#api/dev/spawnBound.ts'
import type { LoadPlan, LoadReport } from './LoadPlan.ts'

/**
 * Runs the people of the plan.
 *
 * @param meanwhile what is done from T0 on; the people stay until it is over.
 */
export async function runDriver(plan: LoadPlan, meanwhile: () => Promise<void>): Promise<LoadReport> {
  const driver = spawnBound(process.execPath, [path.join(import.meta.dirname, 'drive.ts'), JSON.stringify(plan)], {
    deathSignal: 'KILL',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(driver, 'exit')
  const lines = createInterface({ input: driver.stdout! })[Symbol.asyncIterator]()
  const expectLine = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('The driver of the load has ended before its time.')
    return value
  }
  await expectLine()
  driver.stdin?.write('go\n')
  await Promise.all([meanwhile(), expectLine()])
  driver.stdin?.write('end\n')
  const report = JSON.parse(await expectLine()) as LoadReport
  await ended
  return report
}
