import { MikroORM } from '@mikro-orm/postgresql'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { createPayoutAccount } from '../chain/createPayoutAccount.ts'
import { createClock } from '../clock/createClock.ts'
import { readConfig, variables } from '../config.ts'
import { directUrlOf, rewardEndpoints } from '../createServices.ts'
import { ormOptions } from '../db/ormOptions.ts'
import { findRunningStack } from '../dev/runningStack.ts'
import { JobQueue } from '../jobs/JobQueue.ts'
import { CannotReconcile, reconcilePayouts } from '../payouts/reconcilePayouts.ts'

/** `npm run admin -- <command>`: what only whoever runs the servers may do. Exits 0 if it is done, 1 if not, 2 if misspelt. */

const usage = `Usage: npm run admin -- <command>

  reconcile-payouts   compares the payout wallet's transfers on the reward chain with the withdrawals,
                      completes those that are paid, and lets payouts that were stopped go on`

const commands: Record<string, () => Promise<void>> = { 'reconcile-payouts': reconcile }

const command = commands[process.argv[2] ?? '']
if (!command || process.argv.length > 3) {
  console.error(usage)
  process.exitCode = 2
} else {
  await command()
}

async function reconcile(): Promise<void> {
  const config = findConfig()
  const orm = new MikroORM(ormOptions({ url: config.DATABASE_URL, poolSize: 2 }))
  const jobs = new JobQueue(directUrlOf(config), { onError: console.error })
  const clock = await createClock(orm, config)
  try {
    const { address } = await createPayoutAccount({
      privateKey: config.PAYOUT_PRIVATE_KEY,
      chainId: REWARD_CHAIN_ID,
      token: config.XCR_TOKEN_ADDRESS,
    })
    const lines = await reconcilePayouts({ orm, config, clock, jobs }, { endpoint: rewardEndpoints(config)[0]!, address })
    console.log(lines.join('\n'))
  } catch (error) {
    console.error(error instanceof CannotReconcile ? error.message : error)
    process.exitCode = 1
  } finally {
    clock.stop()
    await jobs.stop()
    await orm.close(true)
  }
}

/** What is configured; in development, what the running stack has filled in. */
function findConfig() {
  const projectRoot = path.resolve(import.meta.dirname, '../..')
  const envFile = path.join(projectRoot, '.env')
  if (existsSync(envFile)) process.loadEnvFile(envFile)
  if (process.env.NODE_ENV === 'production') return readConfig(process.env)
  const dataDir = path.resolve(projectRoot, process.env.DATA_DIR?.trim() || variables.DATA_DIR.fallback)
  const stack = findRunningStack(dataDir)
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()))
  return readConfig({ ...stack?.env, ...given }, { demo: stack?.demo ?? false })
}
