import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '#api/platform/config.ts'
import { createServices } from '#api/app/createServices.ts'
import { readSetupStatus } from '#api/accounts/setup/readSetupStatus.ts'
import { type DemoLogins, fillDemo } from './fillDemo.ts'

/** The demo cannot be shown on this data. */
class DemoError extends Error {
  override name = 'DemoError'
}

/**
 * Fills a fresh installation, once, and answers who may log in; any later start only answers that.
 *
 * @throws {DemoError} where the chains are real, and on data that is somebody's or was not filled to its end.
 */
export async function openDemo(config: Config, { url, dataDir }: { url: string; dataDir: string }): Promise<DemoLogins> {
  if (!config.demo) throw new DemoError('--demo needs the embedded chains: leave BSC_RPC_URLS and what belongs to it unset.')
  const file = path.join(dataDir, 'demo.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoLogins

  const services = await createServices(config, { worker: false, onError: console.error })
  try {
    const { setupRequired } = await readSetupStatus(services.orm.em.fork())
    if (!setupRequired)
      throw new DemoError(
        `The data in ${dataDir} is not a demo, or one whose filling was interrupted. Delete the folder, or leave --demo out.`,
      )
    console.log('Filling the demo: accounts, purchases, ten days of rewards, withdrawals …')
    const logins = await fillDemo(services, url)
    writeFileSync(file, JSON.stringify(logins, null, 2), { mode: 0o600 })
    return logins
  } finally {
    await services.stop()
  }
}
