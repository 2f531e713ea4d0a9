import { MikroORM } from '@mikro-orm/postgresql'
import { setTimeout as delay } from 'node:timers/promises'
import path from 'node:path'
import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { utcDay } from '#shared/dates.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { connectDevChain, type DevChainClient, REWARD_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { startChain } from '#api/dev/startChain.ts'
import { deployXcr } from '#api/dev/tokens.ts'
import { makeLedgerMonths } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { type Check, type Comparison, perSecond } from '../Comparison.ts'
import type { Parts } from '../startParts.ts'
import { startProgram } from '../startProgram.ts'
import { payOneByOne } from './payOneByOne.ts'
import { prepareWithdrawals } from './prepareWithdrawals.ts'

/** More than 20 full blocks. */
const WITHDRAWALS = 12_000
const IN_FLIGHT = 2_000
const ONE_BY_ONE = 5
/** In milliseconds. */
const POLL_INTERVAL = 50
/** In milliseconds. */
const TIMEOUT = 180_000

const count = (figure: number): string => figure.toLocaleString('en-US')

/** Measures payouts from one wallet on a chain with a block per second, compared with the capacity of its blocks. */
export async function measurePayouts(parts: Parts): Promise<(Comparison | Check)[]> {
  const { database, postgres } = parts
  // The first start also migrates the database.
  await (await parts.startWeb()).stop()
  const chain = await startChain({ chainId: REWARD_CHAIN_ID, mining: 'instant' })
  const orm = new MikroORM(ormOptions({ url: postgres.url }))
  try {
    const client = connectDevChain(chain.url, REWARD_CHAIN_ID)
    const privateKey = generatePrivateKey()
    const account = privateKeyToAccount(privateKey)
    // A separate wallet, because only the product may send from its payout wallet.
    const sequential = makeAccount()
    const token = await deployXcr(client, makeAccount())
    for (const { address } of [sequential, account]) {
      await client.setBalance({ address, value: parseEther('1000000') })
      const minted = { address: token, abi: bep20Usdt.abi, functionName: 'mint' } as const
      const hash = await client.writeContract({ ...minted, account: sequential, args: [address, parseEther('1000000000')] })
      await client.waitForTransactionReceipt({ hash })
    }
    await client.setAutomine(false)
    await client.setIntervalMining({ interval: 1 })

    const oneByOne = await payOneByOne(client, { account: sequential, token, count: ONE_BY_ONE })
    await makeLedgerMonths({ orm }, { from: utcDay(new Date()), months: 2 })
    await prepareWithdrawals(database, WITHDRAWALS)
    const firstBlock = Number(await client.getBlockNumber()) + 1

    const worker = await startProgram(path.join(import.meta.dirname, 'sendWithWorker.ts'), [], {
      env: {
        ...parts.webEnv(0),
        XCR_RPC_URLS: chain.url,
        XCR_TOKEN_ADDRESS: token,
        XCR_CONFIRMATIONS: '1',
        PAYOUT_PRIVATE_KEY: privateKey,
        PAYOUTS_IN_FLIGHT: String(IN_FLIGHT),
      },
    })
    const completedAt = await awaitCompletion(parts).finally(() => worker.stop())

    const { startedAt, gasLimit, gasUsed } = await readBlocks(client, firstBlock)
    const rate = WITHDRAWALS / ((completedAt - startedAt) / 1_000)
    const capacity = Number(gasLimit) / (Number(gasUsed) / WITHDRAWALS)
    const transactions = await client.getTransactionCount({ address: account.address })
    const transfers = await countTransfers(parts)
    const subject = `${count(WITHDRAWALS)} payouts from one wallet with a block per second`
    return [
      {
        subject,
        measured: perSecond(rate),
        comparedWith: `capacity of a block of ${Number(gasLimit) / 1e6} million gas, ${perSecond(capacity)}`,
        ratio: rate / capacity,
        goal: { bound: 'atLeast', value: 0.8 },
      },
      {
        subject,
        measured: perSecond(rate),
        comparedWith: `sent and awaited one by one, ${oneByOne.toFixed(2)}/s`,
        ratio: rate / oneByOne,
        goal: { bound: 'atLeast', value: 300 },
      },
      {
        subject: 'their transactions',
        measured: count(transactions),
        comparedWith: `${count(WITHDRAWALS)} withdrawals with ${count(transfers)} distinct transactions`,
        holds: transactions === WITHDRAWALS && transfers === WITHDRAWALS,
      },
    ]
  } finally {
    await orm.close(true)
    await chain.stop()
  }
}

async function awaitCompletion({ database }: Parts): Promise<number> {
  const deadline = Date.now() + TIMEOUT
  for (;;) {
    const { rows } = await database.query<{ open: number }>(
      `select count(*)::int as open from withdrawals where status <> 'completed'`,
    )
    if (rows[0]!.open === 0) return Date.now()
    if (Date.now() > deadline) throw new Error(`${rows[0]!.open} withdrawals are still not paid.`)
    await delay(POLL_INTERVAL)
  }
}

async function countTransfers({ database }: Parts): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(distinct final_hash)::int as count from payouts where state = 'paid'`,
  )
  return rows[0]!.count
}

/** Returns the start of the first block with payouts and the used gas. */
async function readBlocks(client: DevChainClient, first: number) {
  const last = Number(await client.getBlockNumber())
  let [startedAt, gasLimit, gasUsed] = [0, 0n, 0n]
  for (let blockNumber = first; blockNumber <= last; blockNumber += 1) {
    const block = await client.getBlock({ blockNumber: BigInt(blockNumber) })
    if (block.gasUsed === 0n) continue
    // Its transactions were sent during the second before it.
    if (startedAt === 0) startedAt = (Number(block.timestamp) - 1) * 1_000
    gasLimit = block.gasLimit
    gasUsed += block.gasUsed
  }
  return { startedAt, gasLimit, gasUsed }
}
