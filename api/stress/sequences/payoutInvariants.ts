import type { Hash } from 'viem'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { thawUser } from '#shared/contract/admin/users.ts'
import { approveWithdrawal, rejectWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { DAY, SECOND } from '#shared/dates.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { acknowledgeTransfer, attributeByHand } from '#api/withdrawals/payouts/decideTransfer.ts'
import { CannotReconcile } from '#api/withdrawals/payouts/requireUnanimity.ts'
import { releaseHolds } from '#api/withdrawals/requests/releaseHolds.ts'
import { settleDebts } from '#api/withdrawals/requests/debts.ts'
import { CONFIRMATIONS, outcomeOf, type PayoutsWorld, shown } from './PayoutsWorld.ts'

/** What must hold at any time, computed without the product's own rules. */
export async function findViolations(world: PayoutsWorld): Promise<string[]> {
  return [
    ...(await findUnearned(world)),
    ...(await findWrongBalances(world)),
    ...(await findSignedTooSoon(world)),
    ...(await findBeyondLimit(world)),
    ...world.wrongs,
  ]
}

/** Transfers of the payout wallets for which nothing is debited: each withdrawal that is not refunded, and each sweep, explains one. */
async function findUnearned(world: PayoutsWorld): Promise<string[]> {
  const byHand = new Set<Hash>(world.byHand.map(({ hash }) => hash))
  const isOutside = (hash: Hash) => world.foreign.has(hash) || world.lost.has(hash)
  // Read before the rows: what is sent since is debited.
  const transfers = (await world.transfers()).filter(({ hash }) => !isOutside(hash))
  const due = new Map<string, number>()
  const allow = (to: string, amount: bigint) => {
    const key = `${formatAmount(amount)} XCR to ${to}`
    due.set(key, (due.get(key) ?? 0) + 1)
  }
  // By the ledger, whatever their state says.
  const refunded = new Set(
    (await world.rows<{ cause: string }>(`select cause from ledger_entries where cause like 'refund:%'`)).map(
      ({ cause }) => cause,
    ),
  )
  for (const { id, status, toAddress, amount, fee, transactionHash } of await world.withdrawals()) {
    const isPaidOtherwise =
      status === 'completed' && transactionHash && (byHand.has(transactionHash) || isOutside(transactionHash))
    if (!refunded.has(`refund:${id}`) && !isPaidOtherwise) allow(toAddress, amount - fee)
  }
  for (const { recipient, amount } of await world.rows<{ recipient: string; amount: string }>(
    `select recipient, amount from payouts where withdrawal_id is null and state not in ('reverted', 'cancelled')`,
  ))
    allow(recipient, BigInt(amount))
  return transfers.flatMap(({ to, amount, hash }) => {
    const key = `${formatAmount(parseAmount(amount)!)} XCR to ${to}`
    const left = due.get(key) ?? 0
    due.set(key, left - 1)
    return left > 0 ? [] : [`${hash} pays ${key}, for which nothing is debited`]
  })
}

/** Accounts whose balance is not what was credited minus what was debited, or is below zero. */
async function findWrongBalances(world: PayoutsWorld): Promise<string[]> {
  const wrong = await world.rows<{ id: string; balance: string; moved: string }>(
    `select * from (
       select id, balance, may_go_negative, (select coalesce(sum(case when to_account = a.id then amount else -amount end), 0)
         from ledger_entries where a.id in (from_account, to_account)) as moved
       from accounts a) a
     where balance <> moved or (balance < 0 and not may_go_negative)`,
  )
  return wrong.map(({ id, balance, moved }) => `the account ${id} has ${balance}, its entries say ${moved}`)
}

/** Withdrawals that were signed while their account was frozen or before the end of their hold. */
async function findSignedTooSoon(world: PayoutsWorld): Promise<string[]> {
  const signed = await world.rows<{ id: string }>(
    `select w.id from payouts p join withdrawals w on w.id = p.withdrawal_id join users u on u.id = w.user_id
     where p.signed_at < w.held_until or (p.signed_at > u.frozen_at and (u.thaws_at is null or p.signed_at < u.thaws_at))`,
  )
  return signed.map(({ id }) => `the withdrawal ${id} was signed while it was on hold`)
}

/** Withdrawals requested since their account's limit was last changed, which exceed it together with those of the 24 hours before. */
async function findBeyondLimit(world: PayoutsWorld): Promise<string[]> {
  const beyond = await world.rows<{ id: string; user: string; at: string; sum: string; limit: string }>(
    `select * from (
       select w.id, w.user_id as user, w.requested_at as at, u.daily_limit as limit,
         (select sum(amount) from withdrawals o where o.user_id = w.user_id and o.status <> 'failed'
           and o.requested_at > w.requested_at - interval '24 hours' and o.requested_at <= w.requested_at) as sum
       from withdrawals w join users u on u.id = w.user_id
       where w.status <> 'failed' and (u.daily_limit_changes_at is null or u.daily_limit_changes_at > w.requested_at)) sums
     where sum > "limit"`,
  )
  return beyond
    .filter(({ user, at }) => new Date(at) > (world.limitedAt.get(user) ?? world.restoredAt))
    .map(({ id, sum, limit }) => `the withdrawal ${id} brings 24 hours to ${sum}, beyond the limit of ${limit}`)
}

/** Ends all faults and runs the product until nothing changes. @returns what must not be left then. */
export async function findUnfinished(world: PayoutsWorld): Promise<string[]> {
  await endFaults(world)
  await runUntilFinished(world)
  const stuck = (await world.withdrawals()).filter(
    ({ status, reviewReason }) => !['completed', 'failed'].includes(status) && !(status === 'manual_review' && reviewReason),
  )
  // A person decides about the others.
  const decided: string[] = []
  for (const holder of world.holders)
    await outcomeOf(world.office.call(thawUser, { params: { id: holder.user.id }, body: { reason: 'The end.' } }))
  await world.pass(2 * DAY)
  for (const { id, status } of await world.withdrawals()) {
    if (status !== 'manual_review') continue
    const params = { id }
    const answer = world.random.chance(50)
      ? await outcomeOf(world.office.call(approveWithdrawal, { params, body: { notes: 'The end.' } }))
      : 'withdrawal_closed'
    decided.push(
      answer === 'done' ? answer : await outcomeOf(world.office.call(rejectWithdrawal, { params, body: { reason: 'The end.' } })),
    )
  }
  await runUntilFinished(world)
  const left = (await world.withdrawals()).filter(({ status }) => !['completed', 'failed'].includes(status))
  return [
    ...stuck.map((one) => `stuck: ${shown(one)}`),
    ...left.map((one) => `cannot be finished: ${shown(one)} (decisions: ${decided.join()})`),
    ...(await findNotPaid(world)),
    ...(await findViolations(world)),
    ...(await findUnbooked(world)),
    ...world.payouts.alerts.filter((alert) => alert.includes('cannot be settled')),
    ...(await world.payouts.audit()),
  ]
}

async function endFaults(world: PayoutsWorld): Promise<void> {
  const { payouts } = world
  world.endpoints.heal()
  await payouts.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n })
  Object.assign(payouts.services.config, { PAYOUT_MAX_GAS_PRICE: 10n ** 12n })
  for (const wallet of world.wallets) {
    await world.setCoins(wallet, 10n ** 24n)
    await payouts.chain.mint(wallet.account.address, parseAmount('100000000')!)
  }
  // One person decides from here on.
  await world.rows(`update administrators set role = 'finance' where id = $1`, [world.other.id])
  await world.rows(`update installation set payout_cap_hour = null, payout_cap_day = null`)
  await world.takeOver()
}

/** What was rejected and signed by a wallet waits for its key. */
async function runUntilFinished(world: PayoutsWorld): Promise<void> {
  await runUntilQuiet(world)
  if (world.wallets.length === 1) return
  await world.changeKey()
  await runUntilQuiet(world)
}

async function runUntilQuiet(world: PayoutsWorld): Promise<void> {
  const { payouts } = world
  let last = ''
  for (let round = 0, quiet = 0; quiet < 3; round += 1) {
    if (round > 60) throw new Error(`It does not come to rest: ${last}`)
    await world.pass(61 * SECOND)
    await releaseHolds.run(payouts.services)
    await settleDebts.run(payouts.services)
    await world.tick()
    await payouts.chain.mine(CONFIRMATIONS)
    await world.tick()
    if (round % 2 === 1) await reconcile(world)
    const state = JSON.stringify([
      (await world.withdrawals()).map(shown),
      await payouts.payouts(),
      await world.rows('select next_nonce, stopped_because from payout_wallets'),
    ])
    quiet = state === last ? quiet + 1 : 0
    last = state
  }
}

/** Reconciles as an operator who attributes what a restored database has lost, and acknowledges what the product did not send. */
export async function reconcile(world: PayoutsWorld): Promise<string> {
  const { foreign, lost } = world
  const { services } = world.payouts
  const endpoints = rewardEndpoints(services.config)
  try {
    const lines = await world.reconcile()
    return lines.at(-1)!
  } catch (error) {
    if (!(error instanceof CannotReconcile)) throw error
    const decide = async (decision: Promise<unknown>) =>
      decision.catch((refused: unknown) => {
        if (!(refused instanceof CannotReconcile)) throw refused
      })
    for (const [hash, email] of lost)
      if (email !== undefined)
        await decide(attributeByHand(services, { endpoints, hash, reason: 'Ours.', actor: 'operator:test', email }))
    for (const hash of [...foreign, ...lost.keys()])
      await decide(
        acknowledgeTransfer(services, { endpoints, hash, reason: 'Not ours.', actor: 'operator:test', email: undefined }),
      )
    return error.message.split('\n')[0]!
  }
}

/** Completed withdrawals without exactly one final transfer of their net amount. */
async function findNotPaid(world: PayoutsWorld): Promise<string[]> {
  const faults: string[] = []
  const used = new Set<string>()
  for (const one of await world.withdrawals()) {
    if (one.status !== 'completed') continue
    const transfer = `${one.transactionHash} ${one.transferOrdinal}`
    const receipt = await world.payouts.chain.receipt(one.transactionHash!).catch(() => undefined)
    const logs = receipt?.status === 'success' ? receipt.logs : []
    const log = logs[one.transferOrdinal!]
    const isPaid =
      log && BigInt(log.data) === one.amount - one.fee && `0x${log.topics[2]!.slice(26)}`.toLowerCase() === one.toAddress
    if (!isPaid || used.has(transfer)) faults.push(`completed, but ${transfer} does not pay it: ${shown(one)}`)
    used.add(transfer)
  }
  return faults
}

/** Payments that a restored database has lost and that nobody has booked. */
async function findUnbooked(world: PayoutsWorld): Promise<string[]> {
  const booked = new Set((await world.withdrawals()).map(({ transactionHash }) => transactionHash))
  const transfers = await world.transfers()
  return transfers.flatMap(({ hash, amount, to }) =>
    world.lost.get(hash) !== undefined && !booked.has(hash)
      ? [`${hash} has paid ${amount} XCR to ${to}, which nobody has booked`]
      : [],
  )
}
