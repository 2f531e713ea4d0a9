import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { toHex } from 'viem'
import { registerAnchor } from '#api/dev/contracts/generated/registerAnchor.ts'
import { spawnBound } from '#api/dev/spawnBound.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type AnchoredRegister, startAnchoredRegister } from '#api/testing/registerWorld.ts'
import { REGISTER_ON } from '#api/testing/testConfig.ts'
import { anchorNewest, anchorSteps } from '../anchorRegister.ts'
import { PublicFiles } from '../PublicFiles.ts'
import { resumeRegister } from '../resumeRegister.ts'
import { publishSteps } from './publishRegister.ts'

vi.setConfig({ testTimeout: 180_000 })
const program = fileURLToPath(new URL('../../../testing/registerPublisher.ts', import.meta.url))

/** Runs a process that is killed at a step of its round. */
async function killAt(world: AnchoredRegister, step: string): Promise<void> {
  const { config } = world.server.services
  const publisher = spawnBound(process.execPath, [program, step], {
    deathSignal: 'KILL',
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: '.cache/compiled',
      DATABASE_URL: config.DATABASE_URL,
      BSC_RPC_URLS: config.BSC_RPC_URLS.join(','),
      XCR_RPC_URLS: config.XCR_RPC_URLS.join(','),
      XCR_TOKEN_ADDRESS: config.XCR_TOKEN_ADDRESS,
      XCR_CONFIRMATIONS: String(config.XCR_CONFIRMATIONS),
      USDT_ADDRESS: config.USDT_ADDRESS,
      PAYOUT_PRIVATE_KEY: config.PAYOUT_PRIVATE_KEY,
      ANCHOR_PRIVATE_KEY: config.register!.anchor!.privateKey,
      REGISTER_ANCHOR_ADDRESS: config.register!.anchor!.address,
      ...REGISTER_ON,
    },
  })
  onTestFinished(() => void publisher.kill('SIGKILL'))
  let errors = ''
  publisher.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [, signal] = await once(publisher, 'close')
  expect([step, signal, errors]).toEqual([step, 'SIGKILL', ''])
}

const readFile = async (files: PublicFiles, name: string) => (await files.find(name))?.bytes.toString('latin1') ?? ''

/** Everything that readers can see. */
async function readFiles({ server }: AnchoredRegister) {
  const files = new PublicFiles(server.services)
  const checkpoint = await readFile(files, 'checkpoint')
  const log = (await readFile(files, 'log/0.txt')) + (await readFile(files, 'log/1.txt'))
  const days = new Map<string, string>()
  for (const [, day] of log.matchAll(/^day\/v1\nday (.*)$/gm)) days.set(day!, await readFile(files, `days/${day}.bin`))
  return { size: checkpoint.split('\n')[1] ?? '', checkpoint, log, days }
}

test('a publisher that is killed at any step leaves nothing that a later one has to take back', async () => {
  const world = await startAnchoredRegister()
  const { services } = world.server
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  await world.pay(buyer.wallet, '6')
  await world.confirm()
  await world.payDay()
  await world.publish()
  const checkpoints = new Map<string, string>()
  let seen = await readFiles(world)
  const daysBefore = seen.days.size
  const look = async () => {
    const before = seen
    seen = await readFiles(world)
    expect(seen.log.startsWith(before.log)).toBe(true)
    for (const [day, leaves] of before.days) expect(seen.days.get(day) === leaves).toBe(true)
    expect(checkpoints.get(seen.size) ?? seen.checkpoint).toBe(seen.checkpoint)
    checkpoints.set(seen.size, seen.checkpoint)
  }
  let fee = 5
  for (const step of [...publishSteps, ...anchorSteps.map((step) => `anchor ${step}`)]) {
    await world.set('withdrawal_fee_amount', String((fee += 1)))
    await world.payDay()
    await killAt(world, step)
    await look()
    await world.publish()
    await look()
    await anchorNewest(services)
    await world.chain.mine(5)
    await anchorNewest(services)
  }
  expect(await world.problems()).toEqual({})
  expect(seen.days.size).toBe(daysBefore + publishSteps.length + anchorSteps.length)
})

test('while publication is stopped the publisher waits in silence, and goes on by itself once an operator resumed it', async () => {
  const world = await startAnchoredRegister({ env: { ALERT_EMAIL: 'operator@example.com' } })
  const { services } = world.server
  const { client } = world.chain
  await world.publish()
  const before = await world.entries()
  const snapshot = await world.chain.snapshot()
  const call = { account: world.publisher, address: world.contract, abi: registerAnchor.abi, functionName: 'anchor' } as const
  await client.writeContract({ ...call, args: [BigInt(before.length), toHex(7, { size: 32 })] })
  await world.chain.mine(5)

  await world.set('xcr_per_node_daily', '11')
  await expect(world.publish()).rejects.toThrow(/^ALERT: The contract 0x[0-9a-f]{40} has an anchor/)
  for (let round = 0; round < 3; round++) await world.publish()
  await anchorNewest(services)
  expect(await world.entries()).toEqual(before)
  expect((await mailsTo(world.database, 'operator@example.com')).map(({ subject }) => subject)).toHaveLength(1)

  await world.chain.revert(snapshot)
  await world.chain.mine(5)
  await world.publish()
  expect(await world.entries()).toEqual(before)
  const endpoints = paymentEndpoints(services.config)
  expect(await resumeRegister(services, { endpoints, actor: 'operator:me' })).toMatchObject({ isResumed: true })
  await world.publish()
  expect(await world.entries()).toHaveLength(before.length + 1)
})
