import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '#api/platform/config.ts'
import { createServices } from '#api/app/createServices.ts'
import { readSetupStatus } from '#api/accounts/setup/readSetupStatus.ts'
import { type DemoLogins, fillDemo } from './fillDemo.ts'

/** The demo cannot use this data or configuration. */
class DemoError extends Error {
  override name = 'DemoError'
}

/**
 * Fills a new installation once and returns its logins. Later starts only return the logins.
 *
 * @throws {DemoError} if the chains are not embedded, or if the data is not a completely filled demo.
 */
export async function openDemo(config: Config, { url, dataDir }: { url: string; dataDir: string }): Promise<DemoLogins> {
  if (!config.demo)
    throw new DemoError('--demo needs the embedded chains: unset BSC_RPC_URLS and the other variables of the chains.')
  const file = path.join(dataDir, 'demo.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoLogins

  const services = await createServices(config, { worker: false, onError: console.error })
  try {
    const { setupRequired } = await readSetupStatus(services.orm.em.fork())
    if (!setupRequired)
      throw new DemoError(
        `The data in ${dataDir} is not a demo, or filling it was interrupted. Delete the folder, or start without --demo.`,
      )
    console.log('Filling the demo: accounts, purchases, ten days of rewards, withdrawals …')
    const logins = await fillDemo(services, url)
    writeFileSync(file, JSON.stringify(logins, null, 2), { mode: 0o600 })
    return logins
  } finally {
    await services.stop()
  }
}
