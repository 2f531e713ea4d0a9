import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hex } from 'viem'
import { ONE_TOKEN } from '#shared/amount.ts'
import { readBalances } from '#api/platform/chain/readBalances.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import type { Services } from '#api/platform/services.ts'
import { query } from '#api/entities/tables.ts'

/** With fewer coins, the wallet may soon be unable to pay fees. */
export const MIN_COINS = ONE_TOKEN

/** The balances of a payout wallet. */
export interface Holdings {
  /** XCR. */
  tokens: bigint
  /** The reward chain's coin, for fees. */
  coins: bigint
}

/** Reads the balances from the endpoint that answers first. @throws AggregateError if none does. */
export function createHoldingsReader({ config }: Pick<Services, 'config'>): (address: Address) => Promise<Holdings> {
  const endpoints = rewardEndpoints(config)
  return (address) => Promise.any(endpoints.map((endpoint) => readHoldings(endpoint, config.XCR_TOKEN_ADDRESS, { address })))
}

/** Like `createHoldingsReader`, with the number of the block that the balances are of. */
export function createReadingReader({
  config,
}: Pick<Services, 'config'>): (address: Address) => Promise<Holdings & { blockNumber: number }> {
  const endpoints = rewardEndpoints(config)
  return (address) =>
    Promise.any(
      endpoints.map(async (endpoint) => {
        const block = BigInt(await endpoint.request<Hex>('eth_blockNumber', []))
        return { ...(await readHoldings(endpoint, config.XCR_TOKEN_ADDRESS, { address, block })), blockNumber: Number(block) }
      }),
    )
}

async function readHoldings(
  endpoint: RpcEndpoint,
  token: Address,
  { address, block = 'latest' }: { address: Address; block?: bigint | 'latest' },
): Promise<Holdings> {
  const [[tokens], coins] = await Promise.all([
    readBalances((method, params) => endpoint.request(method, params), token, [address], block),
    endpoint.request<Hex>('eth_getBalance', [address, block === 'latest' ? block : `0x${block.toString(16)}`]),
  ])
  return { tokens: tokens!, coins: BigInt(coins) }
}

/** The withdrawals that are to be paid and not signed yet, the XCR that they need, and the time of the oldest, which is product time. */
export async function readDue(em: EntityManager): Promise<{ count: number; amount: bigint; oldest: Date | null }> {
  const { sum, count, oldest } = await query(em)
    .selectFrom('withdrawals')
    .select(({ fn, eb }) => [
      fn.sum<bigint | null>(eb('amount', '-', eb.ref('fee'))).as('sum'),
      fn.countAll<number>().as('count'),
      fn.min<Date | null>('createdAt').as('oldest'),
    ])
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return { count: Number(count), amount: sum ?? 0n, oldest }
}

export const hasFewTokens = ({ tokens }: Holdings, due: bigint): boolean => tokens < due || tokens === 0n
export const hasFewCoins = ({ coins }: Holdings): boolean => coins < MIN_COINS
