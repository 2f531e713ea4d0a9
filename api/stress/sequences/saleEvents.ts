import type { Hash } from 'viem'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import * as bonus from '#shared/contract/admin/bonus.ts'
import * as deposits from '#shared/contract/admin/deposits.ts'
import * as reviews from '#shared/contract/admin/purchases.ts'
import { freezeUser, thawUser } from '#shared/contract/admin/users.ts'
import * as purchases from '#shared/contract/purchases.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { expirePurchases } from '#api/sale/purchases/expirePurchases.ts'
import { releaseUncovered } from '#api/sale/purchases/releaseUncovered.ts'
import { insist, type Named } from '#api/testing/backOffice.ts'
import type { Buyer } from '#api/testing/people.ts'
import type { DepositRow, PurchaseRow, SaleWorld } from './SaleWorld.ts'

/** `false`: it cannot happen now. */
type Event = (world: SaleWorld) => Promise<unknown>

const USDT_AMOUNTS = ['3', '3', '6', '6', '6', '9', '12', '1', '2', '4', '7.5', '0.2', '18']

/** What can happen in a sale, each with how often it does. */
export const saleEvents: Record<string, readonly [weight: number, Event]> = {
  reserve: [12, (world) => world.purchaseCall(reserve)],
  'report a payment': [6, (world) => world.purchaseCall(report)],
  'release the reservation': [2, (world) => world.purchaseCall((buyer) => buyer.browser.call(purchases.releaseReservation, {}))],
  'pay exactly': [14, payExactly],
  'pay any amount': [8, payAny],
  'pay the rest': [4, payRest],
  'pay several amounts at once': [5, paySeveral],
  'enter the wallet again': [4, enterWallet],
  'freeze an account': [3, freeze],
  'thaw an account': [2, thaw],
  'mine and read': [16, mineAndRead],
  'mine until final': [12, (world) => world.confirm()],
  'read the chain': [4, (world) => world.watch()],
  'two at once': [12, twoAtOnce],
  reorganize: [5, reorganize],
  'mine a removed transaction again': [6, mineAgain],
  'wait minutes': [6, (world) => world.wait(world.random.between(1, 35) * MINUTE)],
  'wait hours': [2, (world) => world.wait(world.random.between(1, 25) * HOUR)],
  'wait days': [1, (world) => world.wait(world.random.between(2, 12) * DAY)],
  'expire requests': [5, (world) => world.whileFaulty(() => expirePurchases(world.services))],
  'release uncovered holds': [4, (world) => world.whileFaulty(() => releaseUncovered(world.services))],
  'pay the rewards': [4, (world) => world.payRewards()],
  'change the daily reward': [1, (world) => world.sale.set('xcr_per_node_daily', world.random.oneOf(['1', '2.5', '0', '7']))],
  'an endpoint becomes faulty': [3, breakEndpoint],
  'the endpoints are right again': [3, async (world) => world.heal()],
  'back up': [3, (world) => world.backUp()],
  'restore the backup': [3, (world) => world.restore()],
  'name the refunded wallets': [3, (world) => world.reviewPayments()],
  'another watcher takes over': [2, async (world) => world.replaceWatcher()],
  'change the price': [1, (world) => world.sale.set('node_price_usdt', world.random.oneOf(['3', '3', '6', '1.5']))],
  'change the supply': [1, changeSupply],
  'one owner, or two': [3, (world) => world.changeOwners()],
  'approve a proposal': [14, (world) => world.approveProposal()],
  'approve a purchase': [7, (world) => decidePurchase(world, 'approve')],
  'reject a purchase': [3, (world) => decidePurchase(world, 'reject')],
  'cancel a purchase': [3, (world) => decidePurchase(world, 'cancel')],
  'confirm a purchase with a transaction': [5, (world) => decidePurchase(world, 'confirm')],
  'grant a bonus': [2, grant],
  'grant the due bonus': [2, grantDue],
  'assign a deposit': [6, assign],
  'refund a deposit': [7, refund],
  'ignore a deposit': [3, ignore],
  'restore nodes': [6, restore],
}

/** What changes neither the chain nor the clock. Only one watcher reads at a time. */
const concurrent = [
  'reserve',
  'report a payment',
  'release the reservation',
  'enter the wallet again',
  'freeze an account',
  'thaw an account',
  'read the chain',
  'expire requests',
  'release uncovered holds',
  'approve a purchase',
  'reject a purchase',
  'cancel a purchase',
  'confirm a purchase with a transaction',
  'grant a bonus',
  'grant the due bonus',
  'assign a deposit',
  'ignore a deposit',
  'restore nodes',
  'approve a proposal',
  'pay the rewards',
]

async function twoAtOnce(world: SaleWorld): Promise<void> {
  const first = world.random.oneOf(concurrent)
  const second = world.random.oneOf(concurrent.filter((name) => first !== 'read the chain' || name !== first))
  const names = [first, second]
  world.log.push(`  ${names.join(' and ')}`)
  await Promise.all(names.map((name) => saleEvents[name]![1](world)))
}

async function reserve(buyer: Buyer, world: SaleWorld): Promise<void> {
  await buyer.grantMark()
  await buyer.browser.call(purchases.createReservation, { body: { requestedQuantity: world.random.between(1, 4) } })
}

/** With its own payment, another's, or none. */
async function report(buyer: Buyer, world: SaleWorld): Promise<void> {
  const reservation = await buyer.browser.call(purchases.getReservation, {})
  if (!reservation && world.random.chance(50)) await buyer.grantMark()
  const requestedQuantity = reservation?.requestedQuantity ?? world.random.between(1, 4)
  const purchaseAmountUsdt = reservation?.purchaseAmountUsdt ?? parseAmount(String(requestedQuantity * 3))!
  const transactionHash = world.random.chance(60) ? world.anyPayment() : undefined
  const body = { requestedQuantity, purchaseAmountUsdt, ...(transactionHash && { transactionHash }) }
  await buyer.browser.call(purchases.createPurchase, { body })
}

async function payExactly(world: SaleWorld): Promise<unknown> {
  const open = world.pick(await world.openPurchases())
  return open ? world.pay(open.wallet, formatAmount(open.amount)) : false
}

async function payAny(world: SaleWorld): Promise<void> {
  await world.pay(world.random.oneOf(world.wallets).address, world.random.oneOf(USDT_AMOUNTS))
}

async function paySeveral(world: SaleWorld): Promise<void> {
  const { address } = world.batch
  const open = (await world.openPurchases()).filter(({ wallet }) => wallet === address.toLowerCase())
  const amounts = [
    ...open.map(({ amount }) => formatAmount(amount)),
    world.random.oneOf(USDT_AMOUNTS),
    world.random.oneOf(USDT_AMOUNTS),
  ]
  const [first, ...others] = world.random.shuffle(amounts)
  await world.pay(address, first!, others)
}

async function payRest(world: SaleWorld): Promise<unknown> {
  const open = world.pick((await world.openPurchases()).filter(({ received, amount }) => received > 0n && received < amount))
  return open ? world.pay(open.wallet, formatAmount(open.amount - open.received)) : false
}

/** With or without a proof; the thief cannot prove it. */
async function enterWallet(world: SaleWorld): Promise<void> {
  const buyer = world.random.oneOf(world.buyers.filter(({ wallet }) => 'signMessage' in wallet))
  const own = world.random.oneOf(world.walletsOf(buyer))
  const message = walletProofMessage({
    host: new URL(world.sale.server.url).host,
    email: buyer.user.email,
    address: own.address,
    timestamp: world.sale.server.clock.now().toISOString(),
  })
  const isProven = buyer !== world.thief && world.random.chance(70)
  const proof = isProven ? { message, signature: await own.signMessage({ message }) } : {}
  const what = `buyer ${world.buyers.indexOf(buyer)}, ${isProven ? 'with' : 'without'} a proof`
  await world.attempt(what, async () => {
    await buyer.browser.call(updateWallet, { body: { walletAddress: own.address, ...proof } })
    if (isProven && own === world.wallets[0]) await world.noteProof()
  })
}

/** Its owner logs in again. */
async function freeze(world: SaleWorld): Promise<void> {
  const buyer = world.random.oneOf(world.buyers)
  await world.attempt(`buyer ${world.buyers.indexOf(buyer)}`, () =>
    world.sale.call(freezeUser, { params: { id: buyer.user.id }, body: { reason: 'Odd.' } }),
  )
  await world.logIn(buyer)
}

async function thaw(world: SaleWorld): Promise<void> {
  const buyer = world.random.oneOf(world.buyers)
  await world.attempt(`buyer ${world.buyers.indexOf(buyer)}`, () =>
    world.sale.call(thawUser, { params: { id: buyer.user.id }, body: { reason: 'Well.' } }),
  )
}

async function mineAndRead(world: SaleWorld): Promise<void> {
  await world.mine(world.random.between(1, 2))
  await world.watch()
}

/** Of the newest blocks, or as many as a payment is deep. */
async function reorganize(world: SaleWorld): Promise<unknown> {
  const depth = world.random.chance(60) ? await world.depthOfPayment() : world.random.between(1, 3)
  if (!depth) return false
  await world.reorganize(depth)
  if (world.random.chance(70)) await mineAndRead(world)
  return true
}

async function mineAgain(world: SaleWorld): Promise<unknown> {
  if (!(await world.sendRemoved())) return false
  return mineAndRead(world)
}

/** One of two: it answers nothing, hides or changes transfers, knows no receipts, or stays behind. */
async function breakEndpoint(world: SaleWorld): Promise<unknown> {
  if (world.isFaulty) return false
  world.isFaulty = true
  const endpoint = world.random.oneOf(world.endpoints)
  const fault = world.random.oneOf(['silent', 'hides', 'changes', 'no receipts', 'stays behind'])
  const part = world.random.between(0, 3)
  const isMeant = ({ transactionHash }: TransferLog) => parseInt(transactionHash.slice(-2), 16) % 4 === part
  const change = (log: TransferLog) =>
    isMeant(log) ? { ...log, data: `0x${(BigInt(log.data) * 2n).toString(16).padStart(64, '0')}` } : log
  const head = await world.sale.chain.client.getBlockNumber()
  world.log.push(`  ${world.endpoints.indexOf(endpoint)} ${fault}`)
  endpoint.fail(({ method, params }) => {
    if (fault === 'silent') return 'drop'
    if (fault === 'hides' && method === 'eth_getLogs')
      return { rewrite: (logs: TransferLog[]) => logs.filter((log) => !isMeant(log)) }
    if (fault === 'changes' && method === 'eth_getLogs') return { rewrite: (logs: TransferLog[]) => logs.map(change) }
    if (method === 'eth_getTransactionReceipt') {
      if (fault === 'no receipts') return { rewrite: () => null }
      if (fault === 'changes')
        return { rewrite: (receipt: { logs: TransferLog[] } | null) => receipt && { ...receipt, logs: receipt.logs.map(change) } }
    }
    const index = params.indexOf('latest')
    if (fault === 'stays behind' && index >= 0) return { send: { params: params.with(index, `0x${head.toString(16)}`) } }
    return undefined
  })
  return true
}

async function changeSupply(world: SaleWorld): Promise<void> {
  const { paid, bonus, reserved } = await world.sale.supply()
  await world.setSupply(Math.max(paid + bonus + reserved, paid + bonus + world.random.between(0, 12)))
}

async function decidePurchase(world: SaleWorld, decision: 'approve' | 'reject' | 'cancel' | 'confirm'): Promise<unknown> {
  const open = await world.openPurchases()
  const purchase = world.pick(open.filter(({ status }) => status !== 'reserved' || world.random.chance(10)))
  if (!purchase) return false
  const params = { id: purchase.id }
  const { call } = world.sale
  const transactionHash = decision === 'confirm' ? world.anyPayment() : undefined
  const isInsisting = world.random.chance(decision === 'approve' ? 80 : 30)
  const insistent = (send: (named: Named) => Promise<unknown>) => (isInsisting ? insist(send) : send({}))
  return world.decide(
    short(purchase),
    async () => {
      if (decision === 'approve') await insistent((named) => call(reviews.approvePurchase, { params, body: named }))
      if (decision === 'reject') await call(reviews.rejectPurchase, { params, body: {} })
      if (decision === 'cancel') await call(reviews.cancelPurchase, { params, body: { reason: 'Wanted.' } })
      if (transactionHash)
        await insistent((named) =>
          call(reviews.manualConfirmPurchase, { params, body: { transactionHash, notes: 'Seen in a wallet.', ...named } }),
        )
    },
    () => {
      if (transactionHash && (isInsisting || purchase.user !== world.thief.user.id)) world.named.add(transactionHash)
      world.noteDecision(purchase.id)
    },
  )
}

async function grant(world: SaleWorld): Promise<void> {
  const { user } = world.random.oneOf(world.buyers)
  const body = { userEmail: user.email, quantity: world.random.between(1, 2) }
  await world.decide(
    user.email,
    () => world.sale.call(bonus.assignBonus, { body }),
    () => world.granted.set(user.id, (world.granted.get(user.id) ?? 0) + body.quantity),
  )
}

async function grantDue(world: SaleWorld): Promise<void> {
  await world.decide('all', async () => {
    const { users } = await world.sale.call(bonus.listBonusDue, {})
    if (users.length > 0) await world.sale.call(bonus.grantDueBonus, { body: { userIds: users.map(({ userId }) => userId) } })
  })
}

async function assign(world: SaleWorld): Promise<unknown> {
  const [deposit, ...others] = await world.reviewedOfOneSender()
  if (!deposit) return false
  const target = world.pick(await world.openPurchases())
  const buyer = world.random.oneOf(world.buyers)
  const to =
    target && world.random.chance(50)
      ? { purchaseId: target.id }
      : { userEmail: buyer.user.email, quantity: world.random.between(1, 3) }
  const body = { ...to, note: 'Agreed.', others: others.map(({ id }) => id) }
  const ids = [deposit, ...others].map(({ id }) => id)
  return world.decide(
    [deposit, ...others].map(short).join(' '),
    () => insist((named) => world.sale.call(deposits.assignDeposit, { params: { id: deposit.id }, body: { ...body, ...named } })),
    () => world.noteAssigned(ids),
  )
}

/** With a transaction of its own, or one that has refunded another. Its purchase is closed first. */
async function refund(world: SaleWorld): Promise<unknown> {
  const [deposit] = await world.reviewedOfOneSender()
  if (!deposit) return false
  const { purchase: id } = deposit
  if (id) {
    await world.attempt(`close ${id}`, () =>
      world.sale.call(reviews.cancelPurchase, { params: { id }, body: { reason: 'Refunded.' } }),
    )
  }
  const used = world.refundsTo(deposit.sender)
  const transactionHash = used.length > 0 && world.random.chance(30) ? world.random.oneOf(used) : await world.sendBack(deposit)
  const body = { transactionHash, note: 'Sent back.', reason: 'A fee.' }
  return world.decide(short(deposit), () => world.sale.call(deposits.refundDeposit, { params: { id: deposit.id }, body }))
}

async function ignore(world: SaleWorld): Promise<unknown> {
  const deposit = world.pick(await world.depositsIn('review', 'orphaned'))
  if (!deposit) return false
  const params = { id: deposit.id }
  const body = { note: 'Nothing to do.', state: deposit.state as 'review' | 'orphaned' }
  return world.decide(short(deposit), () => world.sale.call(deposits.ignoreDeposit, { params, body }))
}

async function restore(world: SaleWorld): Promise<unknown> {
  const deposit = world.pick(await world.depositsIn('orphaned'))
  if (!deposit) return false
  const params = { id: deposit.id }
  return world.decide(
    short(deposit),
    () => world.sale.call(deposits.restoreNodes, { params, body: { note: 'It was paid.' } }),
    () => world.noteDecision(deposit.purchase),
  )
}

interface TransferLog {
  data: string
  transactionHash: Hash
}

/** For the log. */
const short = (row: DepositRow | PurchaseRow): string =>
  'hash' in row ? `${row.hash.slice(0, 6)} (${row.state})` : `${row.id.slice(0, 4)} (${row.status})`
