import path from 'node:path'
import { connectDevChain, PAYMENT_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { startChain } from '#api/dev/startChain.ts'
import { placeUsdt } from '#api/dev/tokens.ts'
import { best, type Comparison, perSecond } from '../Comparison.ts'
import { DEPOSIT_ADDRESS, type Parts, USDT_ADDRESS } from '../startParts.ts'
import { runCommand } from '../startProgram.ts'
import { mineDeposits } from './mineDeposits.ts'

const ROUNDS = 3
const BLOCKS = 500
const TRANSFERS_PER_BLOCK = 200
const LOGS = BLOCKS * TRANSFERS_PER_BLOCK
/** The range of blocks per request of the bare loop: about 6 MB, the size that the watcher also adapts to. */
const BARE_RANGE = 50
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Measures the watcher reading and storing blocks full of deposits, compared with only reading and parsing them. */
export async function measureWatcher(parts: Parts): Promise<[Comparison]> {
  const chain = await startChain({ chainId: PAYMENT_CHAIN_ID, mining: 'instant' })
  try {
    await placeUsdt(connectDevChain(chain.url, PAYMENT_CHAIN_ID), USDT_ADDRESS)
    await mineDeposits(chain.url, { blocks: BLOCKS, transfersPerBlock: TRANSFERS_PER_BLOCK })
    // A start makes the tables, if no other measurement has.
    await (await parts.startWeb()).stop()
    const product: number[] = []
    const bare: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await readBare(chain.url))
      product.push(await readWithWatcher(parts, chain.url))
    }
    return [
      {
        subject: `blocks with ${LOGS.toLocaleString('en-US')} deposits into PostgreSQL`,
        measured: perSecond(best(product)),
        comparedWith: `eth_getLogs and JSON.parse, ${perSecond(best(bare))}`,
        ratio: best(product) / best(bare),
        goal: { bound: 'atLeast', value: 0.3 },
      },
    ]
  } finally {
    await chain.stop()
  }
}

async function readBare(url: string): Promise<number> {
  const filter = { address: USDT_ADDRESS, topics: [TRANSFER_TOPIC, null, `0x${DEPOSIT_ADDRESS.slice(2).padStart(64, '0')}`] }
  const args = [url, JSON.stringify(filter), String(BLOCKS), String(BARE_RANGE)]
  const output = await runCommand(process.execPath, [path.join(import.meta.dirname, 'readBare.ts'), ...args])
  const { seconds, logs } = JSON.parse(output) as { seconds: number; logs: number }
  if (logs !== LOGS) throw new Error(`The bare loop read ${logs} logs.`)
  return logs / seconds
}

async function readWithWatcher({ database, webEnv }: Parts, url: string): Promise<number> {
  await database.query('truncate deposits, chain_blocks')
  await database.query('update chain_progress set head_number = 0, verified_number = -1')
  await database.query('vacuum analyze deposits')
  await database.query('checkpoint')
  // No block is final, so that only reading and storing is measured.
  const env = { ...webEnv(0), BSC_RPC_URLS: url, PAYMENT_CONFIRMATIONS: '100000' }
  const output = await runCommand(process.execPath, [path.join(import.meta.dirname, 'readWithWatcher.ts')], { env })
  const { rows } = await database.query<{ stored: number }>('select count(*)::int as stored from deposits')
  if (rows[0]!.stored !== LOGS) throw new Error(`The watcher stored ${rows[0]!.stored} deposits.`)
  return LOGS / (JSON.parse(output) as { seconds: number }).seconds
}
