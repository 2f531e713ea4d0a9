import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { callChain } from './callChain.ts'
import { connectDevChain } from './connectDevChain.ts'
import { type Chain, startChain } from './startChain.ts'

function makeStateDir(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'chain-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a chain with a state folder, as `npm start` does. */
async function start(stateDir: string, options: { running?: 'to the end' | 'until stopped' } = {}): Promise<Chain> {
  const chain = await startChain({ chainId: 56, mining: 'everySecond', stateDir })
  if (options.running !== 'until stopped') onTestFinished(chain.stop)
  return chain
}

const shortLived = { running: 'until stopped' } as const

/** Sends a transaction and returns its hash. */
async function send({ url }: Chain): Promise<`0x${string}`> {
  const client = connectDevChain(url, 56)
  const account = privateKeyToAccount(generatePrivateKey())
  await client.setBalance({ address: account.address, value: parseEther('2') })
  const hash = await client.sendTransaction({ account, to: account.address, value: 1n })
  await client.waitForTransactionReceipt({ hash })
  return hash
}

const receiptOf = ({ url }: Chain, hash: string) =>
  callChain<{ blockHash: string } | null>(url, 'eth_getTransactionReceipt', [hash])
const headOf = async ({ url }: Chain) => Number(await callChain<string>(url, 'eth_blockNumber'))

/** Kills anvil, so that it writes no state. */
async function crash(chain: Chain): Promise<void> {
  process.kill(chain.pid, 'SIGKILL')
  await chain.stop()
}

test('blocks and transactions survive a restart, and new blocks have the present time', async () => {
  const stateDir = makeStateDir()
  const before = await start(stateDir, shortLived)
  const hash = await send(before)
  const receipt = await receiptOf(before, hash)
  await before.stop()

  const after = await start(stateDir)
  expect(await receiptOf(after, hash)).toMatchObject({ blockHash: receipt?.blockHash })
  const block = await connectDevChain(after.url, 56).getBlock({ blockNumber: BigInt((await headOf(after)) - 1) })
  expect(Math.abs(Number(block.timestamp) - Date.now() / 1_000)).toBeLessThan(60)
})

test('a transaction is saved automatically, so that it survives a crash', async () => {
  const stateDir = makeStateDir()
  const before = await start(stateDir, shortLived)
  const hash = await send(before)
  await expect.poll(() => existsSync(path.join(stateDir, 'snapshot.json.gz'))).toBe(true)
  const head = await headOf(before)
  await crash(before)

  const after = await start(stateDir)
  expect(await receiptOf(after, hash)).not.toBeNull()
  expect(await headOf(after), 'the watcher has read up to this block').toBeGreaterThanOrEqual(head)
})

test('an incomplete state file is skipped, and the previous one is loaded', async () => {
  const stateDir = makeStateDir()
  const before = await start(stateDir, shortLived)
  const hash = await send(before)
  await before.save()
  await send(before)
  await before.stop()
  truncateSync(path.join(stateDir, 'snapshot.json.gz'), 100)
  writeFileSync(path.join(stateDir, 'exit.json'), '{"block": {"number"')

  const after = await start(stateDir)
  expect(await receiptOf(after, hash)).not.toBeNull()
})

test('a block is final after a few blocks', async () => {
  const chain = await startChain({ chainId: 56 })
  onTestFinished(chain.stop)
  await callChain(chain.url, 'anvil_mine', ['0xa'])
  const { number } = await callChain<{ number: string }>(chain.url, 'eth_getBlockByNumber', ['finalized', false])
  expect(Number(number)).toBeGreaterThan(5)
})

test('a port in use is reported with the variable that changes it', async () => {
  const chain = await startChain({ chainId: 56 })
  onTestFinished(chain.stop)
  const second = startChain({ chainId: 56, name: 'payment chain', port: chain.port, portVariable: 'EMBEDDED_BSC_PORT' })
  await expect(second).rejects.toThrow(
    `Port ${chain.port} for the embedded payment chain is in use by another program. End that program, or set EMBEDDED_BSC_PORT to a free port.`,
  )
})
