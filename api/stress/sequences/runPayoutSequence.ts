import { setTimeout as delay } from 'node:timers/promises'
import type { Hash } from 'viem'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { changePayoutCap } from '#shared/contract/admin/office.ts'
import { freezeUser, thawUser } from '#shared/contract/admin/users.ts'
import { approveWithdrawal, markWithdrawalPaid, rejectWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { cancelWithdrawal, changeDailyLimit } from '#shared/contract/withdrawals.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import type { Withdrawal } from '#api/entities/Withdrawal.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import { createRandom } from '#api/stress/chaos/createRandom.ts'
import { makeAccount } from '#api/testing/chains.ts'
import type { Buyer } from '#api/testing/people.ts'
import { type PayoutStep, payoutSteps } from '#api/withdrawals/payouts/PayoutContext.ts'
import { settleDebts } from '#api/withdrawals/requests/debts.ts'
import { releaseHolds } from '#api/withdrawals/requests/releaseHolds.ts'
import { findUnfinished, findViolations, reconcile } from './payoutInvariants.ts'
import { CONFIRMATIONS, Crash, outcomeOf, PayoutsWorld, shown } from './PayoutsWorld.ts'
import { endpointFaults } from './RewardEndpoints.ts'

/** What may happen; what it returns is shown in the list of steps. */
type Event = (world: PayoutsWorld) => Promise<unknown>
/** Events and how often each is drawn, compared with the others. */
type Events = Record<string, readonly [weight: number, run: Event]>

const people: Events = {
  request: [40, (world) => onHolder(world, (holder) => request(world, holder))],
  cancel: [5, (world) => onWithdrawal(world, isOpen, (one) => cancel(world, one))],
  approve: [12, (world) => onWithdrawal(world, isInReview, (one) => approve(world, one))],
  reject: [5, (world) => onWithdrawal(world, isInReview, (one) => reject(world, one))],
  doubt: [4, (world) => onWithdrawal(world, isSigned, (one) => doubt(world, one))],
  payByHand: [3, (world) => onWithdrawal(world, isInReview, (one) => world.payByHand(one, oneOf(world, [0n, 0n, 1n])))],
  payAndMark: [3, (world) => onWithdrawal(world, isInReview, (one) => payAndMark(world, one))],
  approveProposal: [12, (world) => world.approveProposal()],
  approveLater: [8, (world) => onWithdrawal(world, isInReview, (one) => approveLater(world, one))],
  owners: [1, (world) => world.changeOwners()],
  claim: [6, claim],
  markPaid: [6, (world) => onWithdrawal(world, isInReview, (one) => markPaid(world, one))],
  replaceWallet: [2, (world) => onHolder(world, (holder) => replaceWallet(world, holder))],
  freeze: [1, (world) => onHolder(world, (holder) => freeze(world, holder))],
  freezeByLink: [2, (world) => onHolder(world, (holder) => world.freezeByLink(holder))],
  planThaw: [2, (world) => onFrozenHolder(world, (holder) => world.planThaw(holder))],
  thaw: [3, (world) => onFrozenHolder(world, ({ user }) => world.office.call(thawUser, of(user.id, { reason: 'Known.' })))],
  limit: [3, (world) => onHolder(world, (holder) => limit(world, holder, oneOf(world, [null, '3000', '6000'])))],
  reward: [2, (world) => onHolder(world, (holder) => world.reward(holder, '5000'))],
  cap: [3, (world) => withOneOf(world, ['none', 'none', '0', '3000', '20000'], (cap) => changeCap(world, cap))],
  fee: [1, (world) => withOneOf(world, ['0', '5', '7.25'], (fee) => changeFee(world, fee))],
  collectFees: [2, (world) => world.payouts.collectFees(oneOf(world, [makeAccount().address, '' as const]))],
  foreign: [1, (world) => world.sendForeign(makeAccount().address, '1')],
  useNonce: [1, (world) => world.useNonceElsewhere()],
  changeKey: [2, (world) => world.changeKey()],
  gasLimit: [1, (world) => withOneOf(world, [25, 400, 1000], (gwei) => limitGasPrice(world, gwei))],
  reconcile: [3, reconcile],
}

const surroundings: Events = {
  pass: [6, (world) => withOneOf(world, [11 * SECOND, 31 * SECOND, MINUTE, HOUR, DAY], (time) => world.pass(time))],
  jobs: [4, runJobs],
  mine: [12, (world) => withOneOf(world, [1, 2, 3, 4], (blocks) => world.payouts.chain.mine(blocks))],
  reorganize: [6, (world) => world.reorganize()],
  forget: [3, forgetTransaction],
  gasPrice: [2, (world) => withOneOf(world, [1, 20, 300, 600], (gwei) => setGasPrice(world, gwei))],
  gasPriceJump: [2, (world) => withOneOf(world, ['times', 'by'] as const, (direction) => jumpGasPrice(world, direction))],
  endpoint: [4, (world) => withOneOf(world, endpointFaults, (fault) => world.endpoints.break(oneOf(world, [0, 1, 2]), fault))],
  stopChain: [1, (world) => world.endpoints.breakAll()],
  heal: [6, async (world) => world.endpoints.heal()],
  fund: [2, (world) => world.fund('100000')],
  coins: [1, (world) => withOneOf(world, [0n, 10n ** 21n], (coins) => world.setCoins(world.wallet, coins))],
  emptyWallet: [1, (world) => world.emptyWallet()],
}

/** They end the product and start it again, so nothing else happens meanwhile. */
const backups: Events = {
  backUp: [2, (world) => world.backUp()],
  restore: [2, (world) => world.restore()],
}

const worker: Events = { work: [20, (world) => world.tick()] }

const meanwhile: Events = {
  crash: [5, crash],
  depose: [4, (world) => world.depose(someSteps(world, ['stored', 'sent', 'receiptRead', 'settled']))],
  interrupt: [8, interrupt],
  two: [6, runTwo],
}

const anything: Events = { ...people, ...surroundings, ...worker, ...meanwhile, ...backups }
/** What every sequence has: without the first ones nothing goes on, and the last ones bring most states about. */
const always = 'request approve work mine pass jobs heal reconcile fund thaw reject doubt reorganize'.split(' ')

export interface PayoutSequence {
  seed: number
  steps: number
}

/**
 * Draws events of withdrawals and payouts, and checks after each that the money is where the ledger says. At the end all faults are
 * repaired, and everything must be finished. Runs inside a test, which ends what it starts.
 *
 * @throws with the list of steps if anything is wrong.
 */
export async function runPayoutSequence({ seed, steps }: PayoutSequence): Promise<string[]> {
  const random = createRandom(seed)
  const world = await PayoutsWorld.open(random)
  // Each sequence lacks some events and has others often, so that rare combinations occur.
  const drawn = Object.fromEntries(
    Object.entries(anything).map(([name, [weight, run]]) => [
      name,
      [always.includes(name) ? weight : weight * random.oneOf([0, 0, 1, 2, 6]), run] as const,
    ]),
  )
  const done: string[] = []
  const check = (violations: readonly string[]) => {
    if (violations.length > 0) throw new Error(violations.join('\n'))
  }
  try {
    for (let step = 1; step <= steps; step += 1) {
      let outcome: unknown = 'none'
      // Another one if there is nothing that it could happen to.
      for (let tries = 0; outcome === 'none' && tries < 9; tries += 1) {
        const name = draw(world, drawn)
        done[step - 1] = name
        outcome = await anything[name]![1](world)
      }
      if (typeof outcome === 'string') done[step - 1] += `: ${outcome}`
      await world.pass(SECOND)
      check(await findViolations(world))
    }
    done.push('the end')
    check(await findUnfinished(world))
  } catch (error) {
    const listed = done.map((line, index) => `${String(index + 1).padStart(4)}  ${line}`).join('\n')
    throw new Error(`${(error as Error).message}\n\nSeed ${seed}:\n${listed}`, { cause: error })
  }
  return done
}

function draw({ random }: PayoutsWorld, from: Events): string {
  let left = random.between(
    1,
    Object.values(from).reduce((sum, [weight]) => sum + weight, 0),
  )
  return Object.keys(from).find((name) => (left -= from[name]![0]) <= 0)!
}

const oneOf = <Thing>({ random }: PayoutsWorld, things: readonly Thing[]): Thing => random.oneOf(things)

async function withOneOf<Thing>(world: PayoutsWorld, things: readonly Thing[], use: (thing: Thing) => Promise<unknown>) {
  const thing = world.random.oneOf(things)
  const outcome = await use(thing)
  return typeof outcome === 'string' ? `${String(thing)}: ${outcome}` : String(thing)
}

async function onFrozenHolder(world: PayoutsWorld, use: (holder: Buyer) => Promise<unknown>): Promise<string> {
  const frozen = await world.frozen()
  const holders = world.holders.filter(({ user }) => frozen.has(user.id))
  return holders.length > 0 ? outcomeOf(use(world.random.oneOf(holders))) : 'none'
}

async function onHolder(world: PayoutsWorld, use: (holder: Buyer) => Promise<unknown>): Promise<string> {
  const index = world.random.between(0, world.holders.length - 1)
  const outcome = await outcomeOf(use(world.holders[index]!))
  return `holder ${index}: ${outcome}`
}

type Selects = (withdrawal: Withdrawal) => boolean
const isOpen: Selects = ({ status }) => status !== 'completed' && status !== 'failed'
const isSigned: Selects = ({ status }) => status === 'processing'
const isInReview: Selects = ({ status }) => status === 'manual_review'

/** On a withdrawal that may be selected, at times on any other. */
async function onWithdrawal(world: PayoutsWorld, selects: Selects, use: (one: Withdrawal) => Promise<unknown>): Promise<string> {
  const all = await world.withdrawals()
  const selected = all.filter(selects)
  const from = world.random.chance(90) ? selected : all
  if (from.length === 0) return 'none'
  const one = world.random.oneOf(from)
  return `${all.indexOf(one)} ${shown(one)}: ${await outcomeOf(use(one))}`
}

const of = <Body>(id: string, body: Body) => ({ params: { id }, body })

const request = (world: PayoutsWorld, holder: Buyer) =>
  world.request(holder, world.random.chance(5) ? '101000' : oneOf(world, ['3000', '3000', '4321.5']))

const approve = (world: PayoutsWorld, one: Withdrawal) =>
  world.decide(one, (office) => office.call(approveWithdrawal, of(one.id, { notes: 'Yes.' })))

const reject = ({ office }: PayoutsWorld, { id }: Withdrawal) => office.call(rejectWithdrawal, of(id, { reason: 'No.' }))

/** Something else happens to what was proposed before it is approved. */
async function approveLater(world: PayoutsWorld, one: Withdrawal): Promise<string> {
  const first = await world.random.oneOf([approve, payAndMark])(world, one)
  const [name, run] = world.random.oneOf(Object.entries({ cancel, reject, payAndMark, freezeAndThaw }))
  return `${first}, ${name} ${await outcomeOf(run(world, one))}, ${await world.approveProposal(one)}`
}

async function freezeAndThaw(world: PayoutsWorld, one: Withdrawal): Promise<void> {
  await freeze(world, holderOf(world, one))
  await world.office.call(thawUser, of(one.user.id, { reason: 'Known.' }))
}

const replaceWallet = (world: PayoutsWorld, holder: Buyer) => world.replaceWallet(holder, { isContract: world.random.chance(50) })

const holderOf = ({ holders }: PayoutsWorld, { user }: Withdrawal) => holders.find((holder) => holder.user.id === user.id)!

const cancel = (world: PayoutsWorld, one: Withdrawal) =>
  holderOf(world, one).browser.call(cancelWithdrawal, { params: { id: one.id } })

/** A signed withdrawal waits for a person. */
const doubt = (world: PayoutsWorld, { id }: Withdrawal) =>
  world.rows(
    `update withdrawals set status = 'manual_review', review_reason = 'unknown_outcome' where id = $1 and status = 'processing'`,
    [id],
  )

/** With a transaction that was sent for it, one of ours that paid the same, or any other one. */
async function markPaid(world: PayoutsWorld, one: Withdrawal): Promise<string> {
  const attempts = await world.rows<{ hash: Hash; isAlike: boolean }>(
    `select hash, recipient = $1 and amount = $2 and p.signed_at > $3 as "isAlike"
     from payout_attempts a join payouts p on p.id = payout_id order by a.id`,
    [one.toAddress, one.amount - one.fee, one.requestedAt],
  )
  const fitting = [
    ...world.byHand.filter(({ withdrawal }) => withdrawal === one.id),
    ...attempts.filter(({ isAlike }) => isAlike),
  ]
  const hashes = fitting.length > 0 && world.random.chance(80) ? fitting : [...world.byHand, ...attempts]
  return hashes.length > 0 ? mark(world, one, world.random.oneOf(hashes).hash) : payAndMark(world, one)
}

/** Marks a withdrawal as paid by our payment of another one, which may be final and not settled yet. */
async function claim(world: PayoutsWorld): Promise<string> {
  const [signed] = world.random.shuffle((await world.withdrawals()).filter(isSigned))
  if (!signed) return 'none'
  const findAlike = async () =>
    (await world.withdrawals()).find(
      (one) => isInReview(one) && one.toAddress === signed.toAddress && one.amount - one.fee === signed.amount - signed.fee,
    )
  if (!(await findAlike())) await outcomeOf(world.request(holderOf(world, signed), formatAmount(signed.amount)))
  const one = await findAlike()
  if (!one) return 'none'
  const [attempt] = await world.rows<{ hash: Hash }>(
    'select hash from payout_attempts a join payouts p on p.id = payout_id where withdrawal_id = $1 order by a.id desc',
    [signed.id],
  )
  await world.pass(2 * SECOND)
  await world.payouts.chain.mine(CONFIRMATIONS)
  return `${shown(one)}: ${await mark(world, one, attempt!.hash)}`
}

async function payAndMark(world: PayoutsWorld, one: Withdrawal): Promise<string> {
  const hash = await world.payByHand(one)
  await world.payouts.chain.mine(CONFIRMATIONS)
  return hash ? mark(world, one, hash) : 'not sent'
}

const mark = (world: PayoutsWorld, one: Withdrawal, transactionHash: Hash) =>
  world.decide(one, (office) => office.call(markWithdrawalPaid, of(one.id, { transactionHash })))

async function freeze(world: PayoutsWorld, holder: Buyer): Promise<void> {
  await world.office.call(freezeUser, of(holder.user.id, { reason: 'Odd.' }))
  await world.logIn(holder)
}

async function limit(world: PayoutsWorld, holder: Buyer, xcr: string | null): Promise<void> {
  await holder.grantMark()
  await holder.browser.call(changeDailyLimit, { body: { limit: xcr === null ? null : parseAmount(xcr)! } })
  world.limitedAt.set(holder.user.id, world.payouts.clock.now())
}

const changeCap = ({ office, random }: PayoutsWorld, cap: string) =>
  outcomeOf(
    office.call(changePayoutCap, {
      body: { period: random.oneOf(['hour', 'day'] as const), cap: cap === 'none' ? null : parseAmount(cap)! },
    }),
  )

async function changeFee(world: PayoutsWorld, value: string): Promise<void> {
  const { clock, orm } = world.payouts
  await world.pass(SECOND)
  await orm.em.fork().transactional((em) => changeSetting(em, { key: 'withdrawal_fee_amount', value, effectiveAt: clock.now() }))
  world.fee = value
}

async function runJobs({ payouts: { services } }: PayoutsWorld): Promise<void> {
  await releaseHolds.run(services)
  await settleDebts.run(services)
}

/** The node forgets a transaction that is not mined. */
async function forgetTransaction(world: PayoutsWorld): Promise<void> {
  const sent = await world.rows<{ hash: Hash }>(
    `select hash from payout_attempts a join payouts p on p.id = payout_id where state = 'sent' order by a.id`,
  )
  if (sent.length > 0) await world.payouts.chain.client.dropTransaction({ hash: world.random.oneOf(sent).hash }).catch(() => {})
}

const setGasPrice = ({ payouts }: PayoutsWorld, gwei: number) =>
  payouts.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: BigInt(gwei) * 10n ** 9n })

/** Times or by twenty. */
async function jumpGasPrice(world: PayoutsWorld, direction: 'times' | 'by'): Promise<string> {
  const { baseFeePerGas } = await world.payouts.chain.client.getBlock()
  const gwei = Number(baseFeePerGas ?? 0n) / 1e9
  const next = Math.max(1, Math.min(5_000, Math.round(direction === 'times' ? gwei * 20 : gwei / 20)))
  await setGasPrice(world, next)
  return `${next} gwei`
}

/** The operator's limit. */
const limitGasPrice = async ({ payouts }: PayoutsWorld, gwei: number) =>
  void Object.assign(payouts.services.config, { PAYOUT_MAX_GAS_PRICE: BigInt(gwei) * 10n ** 9n })

/** A worker dies at the first of some steps, and another one leads. */
async function crash(world: PayoutsWorld): Promise<string> {
  const at = someSteps(world, payoutSteps)
  let reached: PayoutStep | undefined
  const outcome = await world.tick(async (step) => {
    if (!at.includes(step)) return
    reached = step
    throw new Crash(step)
  })
  await world.takeOver()
  return reached ? `at ${reached}: ${outcome}` : 'none'
}

/** Several steps, since a round may not come to a single one. */
const someSteps = ({ random }: PayoutsWorld, steps: readonly PayoutStep[]): PayoutStep[] => random.shuffle([...steps]).slice(0, 3)

/** Something happens while the worker is at a step. */
async function interrupt(world: PayoutsWorld): Promise<string> {
  const at = someSteps(world, payoutSteps)
  const name = draw(world, { ...people, ...surroundings })
  let event: Promise<unknown> | undefined
  let reached: PayoutStep | undefined
  const outcome = await world.tick(async (step) => {
    if (event || !at.includes(step)) return
    const isInTransaction = step === 'nonceTaken' || step === 'signed'
    reached = step
    event = world.outside(() => anything[name]![1](world))
    // What needs the worker's locks waits for its transaction.
    await (isInTransaction ? Promise.race([event, delay(30)]) : event)
  })
  // Only in this round.
  at.splice(0)
  return event ? `at ${reached} ${name} (${String(await event)}): ${outcome}` : 'none'
}

async function runTwo(world: PayoutsWorld): Promise<string> {
  const names = [draw(world, { ...people, ...surroundings }), draw(world, { ...people, ...surroundings, ...worker })]
  const outcomes = await Promise.all(names.map((name) => anything[name]![1](world)))
  return names.map((name, index) => `${name} (${String(outcomes[index])})`).join(' and ')
}
