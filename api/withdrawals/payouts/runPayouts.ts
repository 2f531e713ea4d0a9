import { SECOND } from '#shared/dates.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { lead, workInRounds } from '#api/platform/db/lead.ts'
import { throttleErrors } from '#api/platform/jobs/throttleErrors.ts'
import type { Services } from '#api/platform/services.ts'
import type { PayoutStep } from './PayoutContext.ts'
import { PayoutWorker } from './PayoutWorker.ts'

export interface RunPayoutsOptions {
  endpoints: readonly RpcEndpoint[]
  directUrl: string
  onError: (error: unknown) => void
  /** Called at each step of a payout, so that tests can inject faults. */
  step?: (step: PayoutStep) => Promise<void>
}

const ROUND_INTERVAL = 300
/** The pause between rounds while there is work. */
const BUSY_ROUND_INTERVAL = 20
/** The interval of chain reads while nothing is due, to detect a key that is used elsewhere. */
const IDLE_CHAIN_READ_INTERVAL = 10 * SECOND

/** Runs the payout worker while this process is the leader. Any number of processes may call it; one leads and signs. */
export function runPayouts(
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>,
  { endpoints, directUrl, onError, step }: RunPayoutsOptions,
): { stop(): Promise<void> } {
  const { config } = services
  const report = throttleErrors(onError)
  return lead(
    directUrl,
    'payouts',
    async (term) => {
      const account = await createPayoutAccount({
        privateKey: config.PAYOUT_PRIVATE_KEY,
        chainId: REWARD_CHAIN_ID,
        token: config.XCR_TOKEN_ADDRESS,
      })
      const worker = new PayoutWorker({
        services,
        endpoints,
        account,
        term,
        onAlert: (message) => onError(new Error(`ALERT: ${message}`)),
        step,
      })
      let lastRoundAt = 0
      const round = async () => {
        if (Date.now() - lastRoundAt < IDLE_CHAIN_READ_INTERVAL && !(await worker.hasWork())) return ROUND_INTERVAL
        lastRoundAt = Date.now()
        return (await worker.tick(term.signal)) ? BUSY_ROUND_INTERVAL : ROUND_INTERVAL
      }
      await workInRounds(term, round, { onError: report })
    },
    onError,
  )
}
