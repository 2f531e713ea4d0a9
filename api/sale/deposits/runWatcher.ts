import { SECOND } from '#shared/dates.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { lead, workInRounds } from '#api/platform/db/lead.ts'
import { throttleErrors } from '#api/platform/jobs/throttleErrors.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { DepositWatcher } from './DepositWatcher.ts'

export interface RunOptions {
  endpoints: readonly RpcEndpoint[]
  directUrl: string
  onError: (error: unknown) => void
}

const POLL_INTERVAL = SECOND

/** Watches the payment chain while this process is the leader. Any number of processes may run it. */
export function runWatcher(
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'orm'>,
  { endpoints, directUrl, onError }: RunOptions,
): { stop(): Promise<void> } {
  const report = throttleErrors(onError)
  const alerted = new Map<string, number>()
  return lead(
    directUrl,
    'watcher',
    async (term) => {
      let mailing = Promise.resolve()
      const alert = (message: string) => {
        onError(new Error(`ALERT: ${message}`))
        mailing = mailing.then(() => mailAlert(services, message)).catch(onError)
      }
      const watcher = new DepositWatcher({ services, endpoints, term, alerted, onAlert: alert })
      const round = async () => {
        await watcher.catchUp(term.signal)
        return POLL_INTERVAL
      }
      try {
        await workInRounds(term, round, { onError: report })
      } finally {
        await mailing
      }
    },
    onError,
  )
}

const mailAlert = (services: Pick<Services, 'config' | 'jobs' | 'orm'>, message: string): Promise<void> =>
  services.orm.em
    .fork()
    .transactional((em) =>
      mailOperator(em, services, { subject: `${services.config.BRAND_NAME} payments need an operator`, paragraphs: [message] }),
    )
