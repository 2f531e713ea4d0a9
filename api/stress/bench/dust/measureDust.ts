import path from 'node:path'
import { parseEther } from 'viem'
import { callChain } from '#api/dev/callChain.ts'
import { connectDevChain, PAYMENT_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { startChain } from '#api/dev/startChain.ts'
import { placeUsdt } from '#api/dev/tokens.ts'
import type { Check } from '../Comparison.ts'
import { type Parts, USDT_ADDRESS } from '../startParts.ts'
import { runCommand } from '../startProgram.ts'
import { mineDeposits } from '../watcher/mineDeposits.ts'

/** Limits the delay of a payment by dust transfers, in seconds. */
const MAX_DELAY = 5
const MAX_MEMORY = 512 * 2 ** 20

interface Outcome {
  /** The time until the payments were settled. */
  seconds: number
  /** The largest resident set of the watcher's process. */
  memory: number
}

/** Measures how many transfers of 1 wei delay the payments in the same block and after it. */
export async function measureDust(parts: Parts): Promise<Check[]> {
  // The first process prepares the database.
  await (await parts.startWeb()).stop()
  const alone = await settleBehind(parts, { blocks: 0, asOneBlock: false })
  const behind = await settleBehind(parts, { blocks: 50, asOneBlock: false })
  const inOneBlock = await settleBehind(parts, { blocks: 500, asOneBlock: true })
  const delay = behind.seconds - alone.seconds
  return [
    {
      subject: 'a payment behind 10,000 transfers of 1 wei',
      measured: `${behind.seconds.toFixed(1)} s`,
      comparedWith: `${alone.seconds.toFixed(1)} s without them, at most ${MAX_DELAY} s more`,
      holds: delay < MAX_DELAY,
    },
    {
      subject: 'a payment in a block of 100,000 transfers of 1 wei, and one after it',
      measured: `${inOneBlock.seconds.toFixed(1)} s, ${Math.round(inOneBlock.memory / 2 ** 20)} MiB`,
      comparedWith: `both settled, at most ${MAX_MEMORY / 2 ** 20} MiB`,
      holds: inOneBlock.memory < MAX_MEMORY,
    },
  ]
}

const TRANSFERS_PER_TRANSACTION = 200

/** Settles two payments, mined before and after dust transactions, by a watcher in a separate process. */
async function settleBehind(parts: Parts, { blocks, asOneBlock }: { blocks: number; asOneBlock: boolean }): Promise<Outcome> {
  const chain = await startChain({ chainId: PAYMENT_CHAIN_ID, mining: 'instant' })
  try {
    await placeUsdt(connectDevChain(chain.url, PAYMENT_CHAIN_ID), USDT_ADDRESS)
    const pay = () => mineDeposits(chain.url, { blocks: 1, transfersPerBlock: 1, amount: () => parseEther('30') })
    await pay()
    await mineDeposits(chain.url, { blocks, transfersPerBlock: TRANSFERS_PER_TRANSACTION, amount: () => 1n, asOneBlock })
    await pay()
    await callChain(chain.url, 'anvil_mine', ['0x20'])
    await parts.database.query('truncate deposits, chain_blocks')
    await parts.database.query('update chain_progress set head_number = 0, verified_number = -1')
    const env = { ...parts.webEnv(0), BSC_RPC_URLS: chain.url, PAYMENT_CONFIRMATIONS: '3' }
    const output = await runCommand(process.execPath, [path.join(import.meta.dirname, '../watcher/readWithWatcher.ts')], { env })
    const { rows } = await parts.database.query<{ state: string; count: number }>(
      'select state, count(*)::int as count from deposits group by state order by state',
    )
    const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    if (counts.review !== 2 || (counts.ignored ?? 0) !== blocks * TRANSFERS_PER_TRANSACTION)
      throw new Error(`The watcher settled ${JSON.stringify(counts)}.`)
    return JSON.parse(output) as Outcome
  } finally {
    await chain.stop()
  }
}
