import type { Address, Hash, Hex } from 'viem'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { callChain } from '#api/dev/callChain.ts'
import { padAddress, type RpcLog, TRANSFER_TOPIC, unpadAddress } from '#api/platform/chain/readTransfers.ts'
import { DEPOSIT_ADDRESS } from '../bench/startParts.ts'
import type { PurchaseRecord } from './History.ts'
import type { PurchaseKind } from './makePlan.ts'
import type { Run } from './Run.ts'
import type { LocalChain } from './startWorld.ts'

export interface Checked {
  differences: string[]
  figures: Record<string, number>
}

interface ChainTransfer {
  hash: Hash
  block: Hash
  sender: Address
  recipient: Address
  amount: bigint
}

const FEE = parseAmount('5')!
const PRICE = parseAmount('3')!

/** Compares the recorded actions and the chains with the product's rows. Reads the chains directly, without the faulty endpoints. */
export async function checkHistory(run: Run): Promise<Checked> {
  const payments = await checkPayments(run)
  const payouts = await checkPayouts(run)
  return {
    differences: [...payments.differences, ...payouts.differences],
    figures: { ...payments.figures, ...payouts.figures },
  }
}

interface DepositRow {
  transaction_hash: Hash
  block_hash: Hash | null
  sender: Address
  amount: string
  state: string
  status: string | null
}

/** The final states of a payment. */
const closed = ['matched', 'assigned', 'refunded', 'ignored', 'review']

async function checkPayments({ world, history }: Run): Promise<Checked> {
  const differences: string[] = []
  const transfers = await readTransfers(world.payment, [null, padAddress(DEPOSIT_ADDRESS)])
  const rows = await world.database.query<DepositRow>(
    'select d.transaction_hash, block_hash, sender, d.amount, state, p.status from deposits d left join purchases p on p.id = purchase_id',
  )
  for (const { hash, block, sender, amount } of transfers) {
    const found = rows.filter((row) => row.transaction_hash === hash)
    const [row] = found
    if (!row) differences.push(`LOST: ${sender} paid ${formatAmount(amount)} USDT in ${hash}, and there is no deposit`)
    else if (found.length > 1) differences.push(`TWICE: the payment ${hash} is counted ${found.length} times`)
    else if (row.block_hash !== block || row.sender !== sender || BigInt(row.amount) !== amount)
      differences.push(`The payment ${hash} differs from its transfer on the chain`)
    else if (!closed.includes(row.state)) differences.push(`The payment ${hash} is still ${row.state}`)
    else if (row.state === 'matched' && row.status !== 'confirmed')
      differences.push(`The payment ${hash} is matched with a purchase that is ${row.status}`)
  }
  const onChain = new Set(transfers.map(({ hash }) => hash))
  for (const { transaction_hash, state } of rows)
    if (!onChain.has(transaction_hash) && state !== 'seen')
      differences.push(`INVENTED: the deposit ${transaction_hash} is ${state}, and the chain has no such transfer`)

  const owned = await world.database.query<{ user_id: string; nodes: number }>(
    `select user_id, count(*)::int as nodes from nodes where frozen_at is null group by user_id`,
  )
  const nodes = new Map(owned.map((row) => [row.user_id, row.nodes]))
  const known = new Set((await world.database.query<{ id: string }>('select id from purchases')).map(({ id }) => id))
  for (const record of history.purchases) {
    const spansRestore = history.spansRestore(record)
    for (const id of record.purchaseIds)
      if (!known.has(id) && !spansRestore) differences.push(`LOST: the purchase ${id} was acknowledged, and has no row`)
    const arrived = record.transfers.filter(({ hash }) => onChain.has(hash))
    const paid = arrived.length
    const has = record.userId === null ? 0 : (nodes.get(record.userId) ?? 0)
    const fault = spansRestore ? judgeAcrossRestore(arrived, has) : judgePurchase(record, { paid, nodes: has })
    if (fault) differences.push(`${record.wallet} (${record.plan.kind} ${record.plan.quantity}): ${fault}`)
  }
  return {
    differences,
    figures: {
      'purchases started': history.purchases.length,
      'purchases refused': history.purchases.filter(({ refused }) => refused !== undefined).length,
      'payments on chain': transfers.length,
      'payments matched with purchases': rows.filter(({ state }) => state === 'matched').length,
      'payments in review': rows.filter(({ state }) => state === 'review').length,
      'payments removed by a reorganization': history.purchases
        .flatMap((record) => record.transfers)
        .filter(({ hash }) => !onChain.has(hash)).length,
      'nodes bought': history.purchases.reduce((sum, { userId }) => sum + (nodes.get(userId ?? '') ?? 0), 0),
    },
  }
}

/** The allowed numbers of nodes of a purchase, by the number of its payments on the chain. */
const allowedNodes: Record<PurchaseKind, (quantity: number, paid: number) => readonly number[]> = {
  reported: (quantity, paid) => [quantity * paid],
  unreported: (quantity, paid) => [quantity * paid],
  reportedLate: (quantity, paid) => [quantity * paid],
  spedUp: (quantity, paid) => [quantity * paid],
  // A payment that was mined after the release goes to review.
  paidAfterRelease: (quantity, paid) => [0, quantity * paid],
  paidTooLittle: () => [0],
  paidTooMuch: () => [0],
  paidInTwoParts: (quantity, paid) => [paid === 2 ? quantity : 0],
  paidTwice: (quantity, paid) => (paid === 2 ? [quantity, quantity * 2] : [quantity * paid]),
  paidUnasked: (quantity, paid) => [quantity * paid],
  paidByStranger: () => [0],
  neverPaid: () => [0],
}

/** After a restore lost the request, its payments are in review or were matched anyway. */
function judgeAcrossRestore(arrived: PurchaseRecord['transfers'], nodes: number): string | undefined {
  const max = arrived.reduce((sum, { amount }) => sum + amount, 0n) / PRICE
  return nodes <= max ? undefined : `across a restore: ${nodes} nodes, and only ${max} were paid`
}

function judgePurchase(
  { plan, transfers, isDone, refused }: PurchaseRecord,
  { paid, nodes }: { paid: number; nodes: number },
): string | undefined {
  // A refusal before any payment loses nothing.
  if (refused !== undefined)
    return transfers.length === 0 && nodes === 0 ? undefined : `refused with ${refused}, ${paid} payments, ${nodes} nodes`
  if (!isDone) return 'got no answer'
  const allowed = allowedNodes[plan.kind](plan.quantity, paid)
  return allowed.includes(nodes)
    ? undefined
    : `${paid} payments are on the chain, and there are ${nodes} nodes instead of ${allowed.join(' or ')}`
}

async function checkPayouts({ world, history }: Run): Promise<Checked> {
  const differences: string[] = []
  const rows = await world.database.query<{
    id: string
    user_id: string
    amount: string
    status: string
    review_reason: string | null
    transaction_hash: Hash | null
  }>('select id, user_id, amount, status, review_reason, transaction_hash from withdrawals')
  const transfers = await readTransfers(world.reward, [padAddress(world.payoutAddress), null])
  // Withdrawals that were refunded because the balance did not cover the payouts lost in a restore.
  const returned = new Set(
    (
      await world.database.query<{ id: string }>(
        `select jsonb_array_elements_text(after->'returned') as id from audit_entries where action = 'withdrawal.book'`,
      )
    ).map(({ id }) => id),
  )
  // Transactions of the lost days that waited in the mempool behind a gap are in no count of the chain. Once payouts signed after the restore
  // fill the gap, they take the nonces of the others. A person rejects those, which refunds them (money.md 25).
  const unknown = new Set(
    history.restore &&
      (
        await world.database.query<{ id: string }>(
          `select w.id from withdrawals w join payouts p on p.withdrawal_id = w.id
           where w.status = 'manual_review' and review_reason = 'unknown_outcome' and p.state = 'lost'`,
        )
      ).map(({ id }) => id),
  )
  const explained = new Set<ChainTransfer>()
  for (const record of history.withdrawals) {
    const { plan, ids, wallet, isDone, refused, userId } = record
    const name = `${formatAmount(plan.amount)} XCR to ${wallet}`
    const mine = rows.filter((row) => BigInt(row.amount) === plan.amount && row.user_id === userId)
    const paid = transfers.filter((transfer) => transfer.amount === plan.amount - FEE && transfer.recipient === wallet)
    for (const transfer of paid) explained.add(transfer)
    const [row] = mine
    if (history.spansRestore(record)) {
      // A repeated request after the restore is another withdrawal with its own debit.
      const completed = mine.filter(({ status }) => status === 'completed')
      if (completed.length !== paid.length)
        differences.push(`TWICE: ${name} was paid ${paid.length} times and debited ${completed.length} times`)
      for (const { hash } of paid)
        if (!completed.some((one) => one.transaction_hash === hash)) differences.push(`INVENTED: ${name} was paid by ${hash}`)
      continue
    }
    if (paid.length > 1)
      differences.push(`TWICE: ${name} was paid ${paid.length} times: ${paid.map(({ hash }) => hash).join(', ')}`)
    if (mine.length > 1) differences.push(`TWICE: ${name} was debited ${mine.length} times`)
    for (const id of ids)
      if (!rows.some((one) => one.id === id)) differences.push(`LOST: the withdrawal ${id} was acknowledged, and has no row`)
    if (!isDone && refused === undefined) differences.push(`${name} got no answer`)
    if (refused !== undefined && row) differences.push(`${name} was refused with ${refused}, but debited`)
    if (row?.status === 'completed' && (paid.length !== 1 || paid[0]?.hash !== row.transaction_hash))
      differences.push(`LOST: ${name} is completed by ${row.transaction_hash}, and the chain has ${paid.length} payments`)
    if (row?.status === 'failed' && paid.length > 0) differences.push(`TWICE: ${name} was refunded and paid`)
    const isReturned = row?.status === 'failed' && (returned.has(row.id) || plan.isCancelled)
    const waitsForPerson = row !== undefined && unknown.has(row.id) && paid.length === 0
    if (row && row.status !== 'completed' && !isReturned && !waitsForPerson)
      differences.push(`${name} is still ${[row.status, row.review_reason].filter(Boolean).join(': ')}`)
    if (!row && paid.length > 0) differences.push(`INVENTED: ${name} was paid without a withdrawal`)
  }
  const sweeps = await world.database.query<{ final_hash: Hash | null }>(
    'select final_hash from payouts where withdrawal_id is null',
  )
  for (const transfer of transfers)
    if (!explained.has(transfer) && !sweeps.some(({ final_hash }) => final_hash === transfer.hash))
      differences.push(`INVENTED: ${formatAmount(transfer.amount)} XCR was paid to ${transfer.recipient} in ${transfer.hash}`)
  const [booked] = await world.database.query<{ count: number }>(
    `select count(*)::int as count from audit_entries where action = 'withdrawal.book'`,
  )
  const [stopped] = await world.database.query<{ stopped_because: string | null }>(
    'select stopped_because from payout_wallets where stopped_because is not null',
  )
  if (stopped) differences.push(`Payouts are stopped: ${stopped.stopped_because}`)
  return {
    differences,
    figures: {
      'withdrawals signed': history.withdrawals.length,
      'withdrawals refused': history.withdrawals.filter(({ refused }) => refused !== undefined).length,
      'withdrawals cancelled': rows.filter(({ id, status }) => status === 'failed' && !returned.has(id)).length,
      'withdrawals paid': rows.filter(({ status }) => status === 'completed').length,
      'payouts booked again after a restore': booked!.count,
      'withdrawals refunded for them': returned.size,
      'withdrawals that wait for a person': unknown.size,
      'payouts on chain': transfers.length,
    },
  }
}

/** Reads every transfer of a chain's token with these topics. */
async function readTransfers(chain: LocalChain, topics: readonly (Hex | null)[]): Promise<ChainTransfer[]> {
  const logs = await callChain<RpcLog[]>(chain.url, 'eth_getLogs', [
    { address: chain.token, topics: [TRANSFER_TOPIC, ...topics], fromBlock: '0x0', toBlock: 'latest' },
  ])
  return logs.map((log) => ({
    hash: log.transactionHash,
    block: log.blockHash,
    sender: unpadAddress(log.topics[1]!),
    recipient: unpadAddress(log.topics[2]!),
    amount: BigInt(log.data),
  }))
}
