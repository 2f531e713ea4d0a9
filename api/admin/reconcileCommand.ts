import { createClock } from '../clock/createClock.ts'
import { readConfig } from '../config.ts'
import { directUrlOf, rewardEndpoints } from '../createServices.ts'
import { JobQueue } from '../jobs/JobQueue.ts'
import { CannotReconcile, reconcilePayouts } from '../payouts/reconcilePayouts.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'

export const reconcileCommand: OperatorCommand = {
  parameters: [],
  help: "Compares the payout wallet's transfers on the reward chain with the withdrawals, completes those that are paid, and lets payouts that were stopped go on.",
  async run({ orm, env, demo }) {
    const config = readConfig(env, { demo })
    const jobs = new JobQueue(directUrlOf(config), { onError: console.error })
    const clock = await createClock(orm, config)
    try {
      const lines = await reconcilePayouts(
        { orm, config, clock, jobs },
        { endpoints: rewardEndpoints(config), actor: operator() },
      )
      return lines.join('\n')
    } catch (error) {
      throw error instanceof CannotReconcile ? new CommandRefused(error.message) : error
    } finally {
      await clock.stop()
      await jobs.stop()
    }
  },
}
