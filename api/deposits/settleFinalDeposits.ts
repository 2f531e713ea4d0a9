import { findInReceipt } from '../chain/readTransfers.ts'
import { LeadershipLost } from '../db/lead.ts'
import { sql } from '../db/sql.ts'
import { settleDeposit } from './settleDeposit.ts'
import type { Watch } from './Watch.ts'

interface DueDeposit {
  id: string
  transaction_hash: `0x${string}`
  block_number: string
  block_hash: `0x${string}`
  log_index: number
  sender: `0x${string}`
  recipient: `0x${string}`
  amount: string
}

/** Deposits read for settling at a time. */
const SETTLE_AT_ONCE = 100

/** Settles the deposits that are deep enough and final, each by itself: one that fails, or whose receipt is unknown, holds up no other. */
export async function settleFinalDeposits(watch: Watch, signal?: AbortSignal): Promise<void> {
  const finalNumber = await watch.readFinal()
  if (finalNumber === undefined) return
  let after: DueDeposit | undefined
  while (!signal?.aborted) {
    const due = await readDue(watch, finalNumber, after)
    for (const deposit of due) if (!signal?.aborted) await settleOne(watch, deposit)
    after = due.at(-1)
    if (due.length < SETTLE_AT_ONCE) return
  }
}

function readDue(watch: Watch, finalNumber: bigint, after: DueDeposit | undefined): Promise<DueDeposit[]> {
  return watch.rows<DueDeposit>(
    `select id, transaction_hash, block_number, block_hash, log_index, sender, recipient, amount from deposits
     where state = 'seen' and block_number <= $1 and (block_number, log_index) > ($2, $3)
     order by block_number, log_index limit ${SETTLE_AT_ONCE}`,
    [finalNumber, after?.block_number ?? -1, after?.log_index ?? -1],
  )
}

async function settleOne(watch: Watch, row: DueDeposit): Promise<void> {
  try {
    const found = await findInReceipts(watch, row)
    if (found === 'present') await watch.write((em) => settleDeposit(em, watch.services, row.id))
    if (found === 'absent') {
      // It is taken out of its block, as if that were gone: it binds no request, and the second reading stores it again if it is there.
      await watch.write((em) =>
        sql(em, 'update deposits set block_number = null, block_hash = null, block_time = null, log_index = null where id = $1', [
          row.id,
        ]),
      )
      watch.alertOnce(row.id, `The log of deposit ${row.transaction_hash} is not in its receipt. It is not credited.`)
    }
  } catch (error) {
    if (error instanceof LeadershipLost) throw error
    watch.alertOnce(row.id, `The deposit ${row.transaction_hash} could not be settled and is tried again: ${String(error)}`)
  }
}

/** Looks a deposit up in its receipt: one endpoint that has it is enough, one that has not, or does not answer, settles nothing. */
async function findInReceipts(watch: Watch, row: DueDeposit): Promise<'present' | 'absent' | 'unknown'> {
  const transfer = {
    transactionHash: row.transaction_hash,
    blockHash: row.block_hash,
    logIndex: row.log_index,
    sender: row.sender,
    recipient: row.recipient,
    amount: BigInt(row.amount),
    token: watch.services.config.USDT_ADDRESS,
  }
  const answers: ('absent' | 'unknown')[] = []
  for (let i = 0; i < watch.endpointCount; i += 1) {
    const found = await findInReceipt(watch.endpointAt(i), transfer).catch(() => 'unknown' as const)
    if (found === 'present') return found
    answers.push(found)
  }
  return answers.includes('unknown') ? 'unknown' : 'absent'
}
