import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toHex } from 'viem'
import { registerAnchor } from '#api/dev/contracts/generated/registerAnchor.ts'
import * as bonus from '#shared/contract/admin/bonus.ts'
import * as office from '#shared/contract/admin/deposits.ts'
import { toBase64 } from '#shared/register/bytes.ts'
import { leafHash } from '#shared/register/tree.ts'
import { freeLeaf, type NodeLeaf } from '#shared/register/nodeLeaf.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { useShared } from '#api/testing/onCleanup.ts'
import { type RegisterWorld, startAnchoredRegister, startRegister } from '#api/testing/registerWorld.ts'
import {
  changeLine,
  findEntry,
  isKind,
  lineOf,
  readServedLog,
  refit,
  serveLog,
  type ServedLog,
  withLine,
} from '#api/testing/servedLog.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { anchorNewest } from './anchorRegister.ts'
import { main } from './verify.mjs'

const supply = 600
const note = 'As agreed.'
const clone = ({ entries, days, signingKey }: ServedLog): ServedLog => ({
  entries: [...entries],
  days: structuredClone(days),
  signingKey,
})

/** Three days of a sale: purchases, a bonus, dust, a refund, a payment in review, a paid withdrawal and an open one. */
async function runSale(world: RegisterWorld) {
  const { services, clock } = world.server
  const withdraw = (userId: string, toAddress: `0x${string}`) =>
    insertWithdrawal(services.orm, { userId, amount: '30', toAddress, now: clock.now() })
  await world.publish()
  const [one, two] = [await world.openBuyer(), await world.openBuyer()]
  for (const [buyer, quantity] of [
    [one, 12],
    [two, 20],
  ] as const) {
    await world.reserve(buyer, quantity)
    await world.pay(buyer.wallet, String(3 * quantity))
  }
  await world.confirm()
  await world.call(bonus.grantDueBonus, { body: { userIds: [two.user.id] } })
  const stranger = await world.openStranger()
  const unmatched = await world.pay(stranger, '10')
  await world.pay(await world.openStranger(), '1')
  await world.pay(await world.openStranger(), '7')
  await world.confirm()
  await world.watch()
  const transactionHash = await world.sendBack(stranger.address, '9')
  const params = { id: await world.depositOf(unmatched) }
  await world.call(office.refundDeposit, { params, body: { transactionHash, note, reason: 'Fees.' } })
  await world.payDay()
  await world.publish()
  await world.payDay()
  await withdraw(one.user.id, one.wallet.address)
  await world.publish()
  await world.payOut()
  await world.payDay()
  await withdraw(two.user.id, two.wallet.address)
  await world.publish()
}

const plain = useShared(async () => {
  const world = await startRegister({ supply })
  await runSale(world)
  return { world, truth: await readServedLog(world.server.services.orm, world.server.services.config.register!.signingKey) }
})

/** Runs the command line, and returns its exit code and its last line. */
async function run(world: RegisterWorld, site: string, ...more: string[]) {
  const lines: string[] = []
  const rpcs = ['--rpc', world.chain.url, '--reward-rpc', world.rewards.url]
  const exitCode = await main(['all', '--site', site, ...rpcs, ...more], (line) => lines.push(line))
  return { exitCode, last: lines.at(-1) ?? '', lines }
}

/** The newest day, and its leaf of a number. */
const lastDay = (told: ServedLog) => [...told.days.keys()].toSorted().at(-1)!
const change = (told: ServedLog, number: number, changes: Partial<NodeLeaf>, day = lastDay(told)): void => {
  const leaves = told.days.get(day)!
  leaves[number - 1] = { ...leaves[number - 1]!, ...changes }
}
const leafOf = (told: ServedLog, number: number, day = lastDay(told)) => told.days.get(day)![number - 1]!
const RATE = 10n * 10n ** 18n
const isState = (state: string) => (entry: string) => lineOf(entry, 'state') === state
const remove = (told: ServedLog, kind: string, fits: (entry: string) => boolean) =>
  told.entries.splice(findEntry(told, kind, fits), 1)

/** Another first byte, whatever it was. */
const changeByte = (hash: string) => hash.replace(/0x(..)/, (_, byte: string) => (byte === 'ff' ? '0x00' : '0xff'))
const lies: [what: string, tick: string, tell: (told: ServedLog) => void][] = [
  ['a node is left out of a day', 'E2', (told) => (change(told, 1, freeLeaf), refit(told))],
  [
    'one number is given to two purchases',
    'E2',
    (told) =>
      changeLine(
        told,
        'deposit',
        'numbers',
        () => '1-20',
        (entry) => lineOf(entry, 'numbers') === '13-32',
      ),
  ],
  ['a node is not paid one day', 'E4', (told) => (change(told, 5, { earned: leafOf(told, 5).earned - RATE }), refit(told))],
  ['a node is paid twice one day', 'E4', (told) => (change(told, 5, { earned: leafOf(told, 5).earned + RATE }), refit(told))],
  [
    'a node is active a day late',
    'E8',
    (told) => (change(told, 5, { state: 'waiting', earned: leafOf(told, 5).earned - RATE }), refit(told)),
  ],
  [
    'a node is frozen without a vanished payment',
    'E8',
    (told) => (change(told, 5, { state: 'frozen', earned: leafOf(told, 5).earned - RATE }), refit(told)),
  ],
  [
    'a node counts as paid without a payment',
    'E2',
    (told) => (change(told, 600, { ...leafOf(told, 1), earned: 0n, state: 'waiting' }), refit(told)),
  ],
  [
    'the nodes of 12 are assigned for the price of one',
    'E2',
    (told) => (
      changeLine(
        told,
        'deposit',
        'amount',
        () => String(3n * 10n ** 18n),
        (entry) => lineOf(entry, 'numbers') === '1-12',
      ),
      changeLine(
        told,
        'deposit',
        'reason',
        () => 'decision',
        (entry) => lineOf(entry, 'numbers') === '1-12',
      )
    ),
  ],
  // That of 10 USDT is told once more, when it is sent back.
  [
    'a payment is hidden',
    'E6',
    (told) => remove(told, 'deposit', (entry) => lineOf(entry, 'amount') === String(7n * 10n ** 18n)),
  ],
  ['a payment is refunded with one unit', 'E2', (told) => changeLine(told, 'deposit', 'returned', () => '1')],
  [
    'a payment above the price is called dust',
    'E2',
    (told) =>
      changeLine(
        told,
        'deposit',
        'amount',
        () => String(7n * 10n ** 18n),
        (entry) => lineOf(entry, 'reason') === 'dust',
      ),
  ],
  ['a refund names the payment of somebody else', 'E6', (told) => changeLine(told, 'deposit', 'refund', changeByte)],
  [
    'bonus nodes go beyond the rule',
    'E3',
    (told) => (change(told, 1, { kind: 'bonus' }), change(told, 2, { kind: 'bonus' }), refit(told)),
  ],
  ['a node changes its kind', 'E8', (told) => (change(told, 1, { kind: 'granted' }), refit(told))],
  ['an owned node becomes free', 'E8', (told) => (change(told, 33, freeLeaf), refit(told))],
  ['the sum of a day is one unit off', 'E1', (told) => changeLine(told, 'day', 'earned', (sum) => String(BigInt(sum) + 1n))],
  ['the debt to all is one unit off', 'E5', (told) => changeLine(told, 'books', 'owed', (sum) => String(BigInt(sum) - 1n))],
  [
    'balances and debt are both one unit off',
    'E5',
    (told) => ['owed', 'balances'].forEach((name) => changeLine(told, 'books', name, (sum) => String(BigInt(sum) - 1n))),
  ],
  ['an open withdrawal is dropped', 'E5', (told) => remove(told, 'payout', isState('accepted'))],
  ['a payout is hidden', 'E6', (told) => remove(told, 'payout', isState('paid'))],
  [
    'a paid withdrawal is declared refunded',
    'entries',
    (told) => {
      const index = findEntry(told, 'payout', isState('paid'))
      const refunded = withLine(withLine(withLine(told.entries[index]!, 'state', 'refunded'), 'transfer', '-'), 'wallet', '-')
      told.entries.splice(
        findEntry(told, 'books'),
        0,
        withLine(refunded, 'time', lineOf(told.entries[findEntry(told, 'books')]!, 'time')),
      )
    },
  ],
  [
    'a day is paid at a lower rate',
    'E4',
    (told) => (changeLine(told, 'day', 'rate', () => String(9n * 10n ** 18n)), refit(told)),
  ],
  [
    'a price is set for a time in the past',
    'entries',
    (told) => {
      const time = lineOf(told.entries[findEntry(told, 'books')]!, 'time')
      told.entries.push(`price/v1\ntime ${time}\nfrom 1970-01-02T00:00:00.000Z\nprice 1000000000000000000\n`)
    },
  ],
  [
    'a day is skipped',
    'days',
    (told) => {
      const days = told.entries.filter((entry) => isKind(entry, 'day'))
      const middle = told.entries.indexOf(days.at(-2)!)
      told.entries.splice(middle, told.entries.findIndex((entry, index) => index > middle && isKind(entry, 'books')) - middle + 1)
    },
  ],
  [
    'a day is told twice',
    'days',
    (told) => told.entries.push(withLine(told.entries[findEntry(told, 'day')]!, 'paid', new Date().toISOString())),
  ],
  ['the supply of a day is larger than published', 'E1', (told) => (told.days.get(lastDay(told))!.push(freeLeaf), refit(told))],
  [
    'the reserve is that of another wallet',
    'E7',
    (told) => changeLine(told, 'books', 'reserve', (reserve) => reserve.replace(/^0x.*:/, `0x${'77'.repeat(20)}:`)),
  ],
  ['the reserve is larger than the wallet', 'E7', (told) => changeLine(told, 'books', 'reserve', (reserve) => `${reserve}0`)],
  ['the block of the books is on another chain', 'E6', (told) => changeLine(told, 'books', 'payment-block', changeByte)],
  [
    'a group skips an id',
    'entries',
    (told) =>
      told.entries.forEach(
        (entry, index) => lineOf(entry, 'group') === '2' && (told.entries[index] = withLine(entry, 'group', '7')),
      ),
  ],
  ['an entry is repeated', 'entries', (told) => told.entries.push(told.entries[findEntry(told, 'price')]!)],
  [
    'a fee is not the published one',
    'E5',
    (told) => changeLine(told, 'payout', 'fee', (fee) => String(BigInt(fee) + 1n), isState('accepted')),
  ],
  [
    'the checkpoint is signed by a key of the server',
    'signature',
    (told) => void (told.signingKey = new Uint8Array(32).fill(0x99)),
  ],
  ['an unknown kind of entry hides a fact', 'entries', (told) => told.entries.push('grant/v2\n')],
]

test('the truth is verified by the command line', async () => {
  const { exitCode, last, lines } = await run(plain.world, await serveLog(plain.truth))
  // After 09:00 the day of the installation is one of them.
  const days = plain.truth.days.size
  expect([exitCode, last]).toEqual([0, `verified: ${days} days, 34 nodes, 5 deposits, 1 payouts`])
  expect(lines.filter((line) => line.startsWith('failed'))).toEqual([])
})

test.for(lies)('%s: %s', async ([, tick, tell]) => {
  const told = clone(plain.truth)
  tell(told)
  expect(told).not.toEqual(plain.truth)
  const { exitCode, last } = await run(plain.world, await serveLog(told))
  expect([exitCode, last]).toEqual([1, expect.stringMatching(new RegExp(`^failed: (.*, )?${tick}(,|$)`))])
})

/** Replaces an early entry by one that is as good, so that only its bytes tell the difference. */
const fork = (told: ServedLog): ServedLog => {
  const forked = clone(told)
  const index = forked.entries.findIndex((entry) => isKind(entry, 'price'))
  const time = new Date(Date.parse(lineOf(forked.entries[index]!, 'time')) - 1)
  forked.entries[index] = withLine(forked.entries[index]!, 'time', time.toISOString())
  return forked
}
/** The log up to its first books. */
const rollBack = (told: ServedLog): ServedLog => {
  const end = told.entries.findIndex((entry) => isKind(entry, 'books')) + 1
  return { ...clone(told), entries: told.entries.slice(0, end) }
}

test.for([
  ['forked', fork],
  ['rolled back', rollBack],
] as const)('a log that is %s after a visit: growth', async ([, lie]) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'memory-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const memory = ['--memory', path.join(folder, 'seen.json')]
  expect((await run(plain.world, await serveLog(plain.truth), ...memory)).exitCode).toBe(0)
  for (let visits = 0; visits < 2; visits++) {
    const { exitCode, last } = await run(plain.world, await serveLog(lie(plain.truth)), ...memory)
    expect([exitCode, last]).toEqual([1, expect.stringMatching(/^failed: .*growth/)])
  }
  expect((await run(plain.world, await serveLog(plain.truth), ...memory)).exitCode).toBe(0)
})

test('another first entry than the one in the receipts: signature', async () => {
  const genesis = toBase64(leafHash(Buffer.from(plain.truth.entries[0]!)))
  expect((await run(plain.world, await serveLog(plain.truth), '--genesis', genesis)).exitCode).toBe(0)
  const told = clone(plain.truth)
  told.entries[0] = withLine(told.entries[0]!, 'anchor', `56 0x${'77'.repeat(20)}`)
  const { exitCode, last } = await run(plain.world, await serveLog(told), '--genesis', genesis)
  expect([exitCode, last]).toEqual([1, expect.stringMatching(/^failed: .*signature/)])
})

const anchored = useShared(async () => {
  const { contract, publisher, ...world } = await startAnchoredRegister({ supply })
  await runSale(world)
  const { services } = world.server
  await anchorNewest(services)
  await world.chain.mine(5)
  return { world, contract, publisher, truth: await readServedLog(services.orm, services.config.register!.signingKey) }
})

/** Changes the chain for one test. */
async function changeChain(work: () => Promise<unknown>): Promise<void> {
  const { chain } = anchored.world
  const snapshot = await chain.snapshot()
  onTestFinished(() => chain.revert(snapshot))
  await work()
  await chain.mine(5)
}
const failsAnchors = { exitCode: 1, last: expect.stringMatching(/^failed: .*anchors/) }

test('the truth agrees with its anchors', async () => {
  expect(await run(anchored.world, await serveLog(anchored.truth))).toMatchObject({ exitCode: 0 })
})

test.for([
  ['forked', fork],
  ['rolled back', rollBack],
] as const)('a log that is %s, for a first visitor: anchors', async ([, lie]) => {
  expect(await run(anchored.world, await serveLog(lie(anchored.truth)))).toMatchObject(failsAnchors)
})

test('a root of another log is anchored, for everybody: anchors', async () => {
  const { world, contract, publisher, truth } = anchored
  const args = [BigInt(truth.entries.length + 1), toHex(7, { size: 32 })] as const
  const call = { account: publisher, address: contract, abi: registerAnchor.abi, functionName: 'anchor', args } as const
  await changeChain(() => world.chain.client.writeContract(call))
  expect(await run(world, await serveLog(truth))).toMatchObject(failsAnchors)
})

test('the anchor contract has other code: anchors', async () => {
  const { world, contract, truth } = anchored
  const code = (await world.chain.client.getCode({ address: contract }))!
  await changeChain(() => world.chain.client.setCode({ address: contract, bytecode: `${code}00` }))
  expect(await run(world, await serveLog(truth))).toMatchObject(failsAnchors)
})

test('one of two endpoints hides the anchors of a forked log: anchors', async () => {
  const { world, truth } = anchored
  const liar = await startFaultyRpc(world.chain.url)
  liar.fail(({ method, params }) =>
    method === 'eth_call' && JSON.stringify(params).includes('0x06661abd')
      ? { rewrite: () => toHex(0, { size: 32 }) }
      : undefined,
  )
  expect(await run(world, await serveLog(fork(truth)), '--rpc', liar.url)).toMatchObject(failsAnchors)
})

test('without an endpoint of the reader nothing is said about anchors', async () => {
  const { world, truth } = anchored
  const lines: string[] = []
  const site = await serveLog(truth)
  const exitCode = await main(['all', '--site', site, '--reward-rpc', world.rewards.url], (line) => lines.push(line))
  expect([exitCode, lines.at(-2)]).toEqual([2, expect.stringContaining('could not look: anchors')])
})
