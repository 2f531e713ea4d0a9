import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import type { EntryOf } from '#shared/register/entryForms.ts'
import type { Balance, Block, Hex } from '#shared/register/values.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { readAgreed, readFromEachHost, readFromEnoughHosts, votesNeeded } from '#api/platform/chain/readAgreed.ts'
import { readAgreedBlock, readAgreedFinalNumber } from '#api/platform/chain/readAgreedBlock.ts'
import { readBalances } from '#api/platform/chain/readBalances.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import { readReceivedTransfers, readSentTransfers } from '#api/platform/chain/readSentTransfers.ts'
import { unavailable } from '#api/platform/chain/requestWithFallback.ts'
import { isRpcRefusal, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Config } from '#api/platform/config.ts'
import { sql } from '#api/platform/db/sql.ts'
import { countNonces } from '#api/withdrawals/payoutWallets/countNonces.ts'

export interface Endpoints {
  payment: readonly RpcEndpoint[]
  reward: readonly RpcEndpoint[]
}

export interface ChainFigures {
  paymentBlock: Block | null
  rewardBlock: Block | null
  /** Balances at the reward block. */
  reserve: readonly Balance[]
  /** How many transactions each wallet has sent, at least up to the reward block; empty if that is the last published one. */
  sentCounts: ReadonlyMap<string, number>
  /** For each chain that could not be read, or up to whose newest block not all is settled: why its block is an earlier one. */
  behind: Partial<Record<'payment' | 'reward', string>>
}

/** What the rows know of the chains: up to where deposits are decided, and since when payouts may be on their way. */
export interface ChainLimits {
  /** The last block up to which every transfer to us is decided; null before any was read. */
  decidedUpTo: number | null
  /** Every payout signed before is settled; null if all are. A lost one is once its wallet is explained. */
  unsettledSince: Date | null
  /** Transfers of a wallet may be unexplained. */
  isWalletStopped: boolean
  /** How many transactions each wallet has signed. */
  signedCounts: Readonly<Record<string, number>>
}

export async function readChainLimits(em: EntityManager): Promise<ChainLimits> {
  const [row] = await sql<{ decided: number | null; since: string | null; stopped: boolean; signed: Record<string, number> }>(
    em,
    `select least(
         (select least(verified_number, (select max(number) from chain_blocks where chain_id = $1)) from chain_progress where chain_id = $1),
         (select min(number) - 1 from blocks_to_reread where chain_id = $1 and tries = 0),
         (select min(block_number) - 1 from deposits where state = 'seen' and amount > 0 and block_number is not null))::bigint as decided,
       (select min(p.signed_at) from payouts p join payout_wallets w on w.address = p.wallet_address
         where p.state = 'sent' or (p.state = 'lost' and w.stopped_because is not null)) as since,
       exists (select from payout_wallets where stopped_because is not null) as stopped,
       (select coalesce(json_object_agg(address, next_nonce), '{}') from payout_wallets) as signed`,
    [PAYMENT_CHAIN_ID],
  )
  return {
    decidedUpTo: row!.decided,
    unsettledSince: row!.since === null ? null : new Date(row!.since),
    isWalletStopped: row!.stopped,
    signedCounts: row!.signed,
  }
}

interface Options {
  config: Pick<Config, 'PAYMENT_CONFIRMATIONS' | 'XCR_CONFIRMATIONS' | 'XCR_TOKEN_ADDRESS'>
  endpoints: Endpoints
  limits: ChainLimits
  /** Blocks after it do not count. */
  until: Date
  wallets: readonly Hex[]
  before: Pick<EntryOf<'books'>, 'paymentBlock' | 'rewardBlock' | 'reserve'> | undefined
}

/** Chooses the blocks up to which deposits and payouts are complete. A chain that does not answer keeps its last block. */
export async function readChainFigures(options: Options): Promise<ChainFigures> {
  const behind: ChainFigures['behind'] = {}
  const { unsettledSince, isWalletStopped } = options.limits
  if (isWalletStopped) behind.reward = 'payouts are stopped'
  else if (unsettledSince) behind.reward = describeUnsettled(unsettledSince)
  const [paymentBlock, rewards] = await Promise.all([
    readPaymentBlock(options, (because) => (behind.payment = because)),
    readRewards(options, (because) => (behind.reward = because)),
  ])
  return { paymentBlock, ...rewards, behind }
}

async function readPaymentBlock(
  { config, endpoints, limits, until, before }: Options,
  onBehind: (because: string) => void,
): Promise<Block | null> {
  const last = before?.paymentBlock ?? null
  return orBefore(
    last,
    () => onBehind(describeUnread('payment')),
    async () => {
      const final = await readAgreedFinalNumber(endpoints.payment, config.PAYMENT_CONFIRMATIONS)
      if (final === undefined) throw unavailable()
      if (limits.decidedUpTo === null) return last
      if (limits.decidedUpTo < final) onBehind(describeUndecided(limits.decidedUpTo))
      const upTo = Math.min(Number(final), limits.decidedUpTo)
      return (await findBlock(endpoints.payment, { from: last?.number ?? 0, upTo, until })) ?? last
    },
  )
}

async function readRewards({ config, endpoints, limits, until, wallets, before }: Options, onBehind: (because: string) => void) {
  const last = before?.rewardBlock ?? null
  const unchanged = { rewardBlock: last, reserve: before?.reserve ?? [], sentCounts: new Map<string, number>() }
  return orBefore(
    unchanged,
    () => onBehind(describeUnread('reward')),
    async () => {
      if (limits.isWalletStopped && last) return unchanged
      const heads = await readFromEachHost(endpoints.reward, async (endpoint) => (await readBlock(endpoint, 'latest'))?.number)
      const sorted = heads.filter((head) => head !== undefined).toSorted((a, b) => Number(b - a))
      const head = sorted[votesNeeded(endpoints.reward) - 1]
      if (head === undefined) throw unavailable()
      const upTo = Number(head) - config.XCR_CONFIRMATIONS + 1
      // The endpoints lag: the block of published books is not shown yet.
      if (upTo < (last?.number ?? 0)) throw unavailable()
      // A payout cannot be in a block from before its signature; the margin allows for clocks that differ.
      const settled = limits.unsettledSince && new Date(limits.unsettledSince.getTime() - MINUTE)
      const block = await findBlock(endpoints.reward, {
        from: last?.number ?? 0,
        upTo,
        until: settled && settled < until ? settled : until,
      })
      if (!block) return unchanged
      const agreement = await readAgreed(endpoints.reward, {
        read: (endpoint) => readBalancesAt(endpoint, { token: config.XCR_TOKEN_ADDRESS, wallets, block: BigInt(block.number) }),
        textOf: (amounts) => amounts.join(),
      })
      if (agreement.kind !== 'agreed') throw new ChainUnavailable(`The endpoints do not agree on the reserve at ${block.number}.`)
      const { answer } = agreement
      const sentCounts = await readSentCounts(endpoints.reward, wallets)
      return { rewardBlock: block, reserve: wallets.map((address, index) => ({ address, amount: answer[index]! })), sentCounts }
    },
  )
}

/** The highest counts that enough hosts have reached. A host that lags shows fewer transactions than there are. */
async function readSentCounts(endpoints: readonly RpcEndpoint[], wallets: readonly Hex[]): Promise<Map<string, number>> {
  const answers = await readFromEnoughHosts(endpoints, (endpoint) =>
    Promise.all(wallets.map((wallet) => countNonces(endpoint, wallet, 'latest'))),
  )
  const needed = votesNeeded(endpoints)
  return new Map(
    wallets.map((wallet, index) => [wallet, answers.map((counts) => counts[index]!).toSorted((a, b) => b - a)[needed - 1]!]),
  )
}

const describeUnread = (chain: 'payment' | 'reward') => `the ${chain} chain cannot be read`
export const describeUnsettled = (since: Date) => `a payout that was signed at ${since.toISOString()} is not settled`
export const describeUndecided = (upTo: number | null) => `payments after block ${upTo ?? 0} are not settled`

/** The balances at an old block; from a node without old states, the present ones less what came in since and plus what went out. */
async function readBalancesAt(
  endpoint: RpcEndpoint,
  { token, wallets, block }: { token: Hex; wallets: readonly Hex[]; block: bigint },
): Promise<bigint[]> {
  const request = (method: string, params: readonly unknown[]) => endpoint.request(method, params)
  try {
    return await readBalances(request, token, wallets, block)
  } catch (error) {
    if (!isRpcRefusal(error)) throw error
    const head = await readBlock(endpoint, 'latest')
    if (!head) throw error
    const range = { token, from: block + 1n, upTo: head.number }
    const [present, received, sent] = await Promise.all([
      readBalances(request, token, wallets, head.number),
      readReceivedTransfers(endpoint, { ...range, recipients: wallets }),
      readSentTransfers(endpoint, { ...range, senders: wallets }),
    ])
    const sumOf = (transfers: readonly { amount: bigint }[]) => transfers.reduce((sum, { amount }) => sum + amount, 0n)
    return wallets.map((wallet, index) => {
      const cameIn = received.filter(({ recipient }) => recipient === wallet)
      const wentOut = sent.filter(({ sender }) => sender === wallet)
      return present[index]! - sumOf(cameIn) + sumOf(wentOut)
    })
  }
}

async function orBefore<Value>(before: Value, onUnread: () => void, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    onUnread()
    return before
  }
}

/** The last block between two numbers whose time has come. Times rise, so a binary search finds it. */
async function findBlock(
  endpoints: readonly RpcEndpoint[],
  { from, upTo, until }: { from: number; upTo: number; until: Date },
): Promise<Block | undefined> {
  const read = async (number: number): Promise<Block> => {
    const agreement = await readAgreedBlock(endpoints, BigInt(number))
    if (agreement.kind !== 'agreed') throw new ChainUnavailable(`The endpoints do not agree on block ${number}.`)
    return { number, hash: agreement.answer.hash, time: agreement.answer.time }
  }
  if (upTo < from) return undefined
  const newest = await read(upTo)
  if (newest.time <= until) return newest
  let found: Block | undefined
  // Steps back with growing strides before halving: the block is near the newest one.
  let [low, high] = [from, upTo]
  for (let stride = 64; high - stride > from && !found; stride *= 4) {
    const block = await read(high - stride)
    if (block.time <= until) found = block
    else high -= stride
  }
  low = found?.number ?? low - 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const block = await read(middle)
    if (block.time <= until) [found, low] = [block, middle]
    else high = middle
  }
  return found
}
