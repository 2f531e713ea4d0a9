import { setTimeout as delay } from 'node:timers/promises'
import { callChain } from '#api/dev/callChain.ts'
import type { Run } from './Run.ts'
import { runOperator } from './runOperator.ts'
import { sendSigned } from './sendUsdt.ts'

/** More blocks than any number of confirmations. */
const FINAL_DEPTH = 20
/** In milliseconds. */
const POLL_INTERVAL = 1_000

/**
 * Ends the remaining faults, sends lost transactions again, mines until all are final, and waits until the product has no work left.
 * Returns the work that did not finish in time.
 */
export async function settle(run: Run, actions: Promise<unknown>, log: (line: string) => void): Promise<string[]> {
  const { world, history, until } = run
  for (const chain of [world.payment, world.reward]) for (const endpoint of chain.endpoints) endpoint.heal()
  for (const member of world.members) member.wake()
  await actions
  log('All requests were answered.')
  for (const { transfers } of history.purchases)
    for (const transfer of transfers)
      if (!transfer.isDropped && !(await callChain(world.payment.url, 'eth_getTransactionReceipt', [transfer.hash])))
        await sendSigned(world.payment, transfer).catch(() => {})

  for (;;) {
    await world.payment.client.mine({ blocks: FINAL_DEPTH })
    await world.reward.client.mine({ blocks: FINAL_DEPTH })
    await reconcileIfStopped(run, log)
    const undone = await findUndone(run).catch((error: unknown) => [`The database does not answer: ${String(error)}`])
    if (undone.length === 0 || Date.now() > until) return undone
    log(`${undone.length} items are not finished. ${undone[0]}`)
    await delay(POLL_INTERVAL)
  }
}

/** Runs the operator's command after a restore. */
async function reconcileIfStopped({ world }: Run, log: (line: string) => void): Promise<void> {
  const stopped = await world.database.query('select from payout_wallets where stopped_because is not null').catch(() => [])
  if (stopped.length === 0) return
  const { output } = await runOperator(world, 'reconcile-payouts')
  log(output)
}

async function findUndone({ world }: Run): Promise<string[]> {
  const head = Number(await callChain<string>(world.payment.url, 'eth_blockNumber'))
  const rows = await world.database.query<{ undone: string }>(
    `select 'The watcher has not verified all blocks: ' || verified_number as undone from chain_progress where verified_number < $1
     union all select 'Deposit ' || transaction_hash || ' is not settled' from deposits where state = 'seen' and block_number is not null
     union all select 'Withdrawal ' || id || ' is ' || status from withdrawals where status in ('pending', 'processing')
     union all select 'Payouts are stopped: ' || stopped_because from payout_wallets where stopped_because is not null
     union all select 'Day ' || day || ' is not paid' from reward_runs where paid_at is null
     union all select 'A mail to ' || recipient || ' is overdue' from outgoing_mails where sent_at is null and next_attempt_at < now() - interval '40 seconds'`,
    [head - 3 * FINAL_DEPTH],
  )
  return rows.map(({ undone }) => undone)
}
