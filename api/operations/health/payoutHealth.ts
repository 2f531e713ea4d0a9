import type { Address, Hex } from 'viem'
import { formatAmount, ONE_TOKEN } from '#shared/amount.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { createPayoutAccount, type PayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { readBalances } from '#api/platform/chain/readBalances.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { query } from '#api/entities/tables.ts'
import { describeCap, type PayoutCap, readCaps } from '#api/withdrawals/payoutWallets/payoutCaps.ts'
import type { Services } from '#api/platform/services.ts'
import { readWithTimeout } from './readWithTimeout.ts'
import { check, type HealthSource } from './HealthSource.ts'

/** A lower XP balance may soon not cover the fees. */
const MIN_COINS = ONE_TOKEN

const tokenLabel = 'Payout wallet, XCR'
const coinLabel = 'Payout wallet, XP for fees'

const shown = (value: bigint) => formatAmount(value, { maxDecimals: 4, grouped: true })

/** Checks the payout wallet's balances against the open withdrawals, and whether payouts run. */
export function payoutHealth({ config, clock }: Pick<Services, 'clock' | 'config'>): HealthSource {
  const endpoints = rewardEndpoints(config)
  let account: Promise<PayoutAccount> | undefined

  const readHoldings = async (address: Address): Promise<{ tokens: bigint; coins: bigint }> =>
    Promise.any(
      endpoints.map(async (endpoint) => {
        const [[tokens], coins] = await Promise.all([
          readBalances((method, params) => endpoint.request(method, params), config.XCR_TOKEN_ADDRESS, [address]),
          endpoint.request<Hex>('eth_getBalance', [address, 'latest']),
        ])
        return { tokens: tokens!, coins: BigInt(coins) }
      }),
    )

  return async (em) => {
    account ??= createPayoutAccount({
      privateKey: config.PAYOUT_PRIVATE_KEY,
      chainId: REWARD_CHAIN_ID,
      token: config.XCR_TOKEN_ADDRESS,
    })
    const { address } = await account
    const asked = readWithTimeout(() => readHoldings(address))
    const wallet = await query(em)
      .selectFrom('payout_wallets')
      .select('stoppedBecause')
      .where('stoppedBecause', 'is not', null)
      .orderBy((eb) => eb('address', '=', address), 'desc')
      .limit(1)
      .executeTakeFirst()
    const stopped = wallet?.stoppedBecause ?? null
    const { sum, count } = await query(em)
      .selectFrom('withdrawals')
      .select(({ fn, eb }) => [
        fn.sum<bigint | null>(eb('amount', '-', eb.ref('fee'))).as('sum'),
        fn.countAll<number>().as('count'),
      ])
      .where('status', '=', 'pending')
      .executeTakeFirstOrThrow()
    const due = sum ?? 0n
    const holdings = await asked
    const caps = await readCaps(em, config, clock.now())
    const capped = await query(em)
      .selectFrom('payout_wallets')
      .select('address')
      .where('cappedSince', 'is not', null)
      .limit(1)
      .executeTakeFirst()
    const describeLimit = (cap: PayoutCap) =>
      check(cap.period === 'hour' ? 'Payout cap per hour' : 'Payout cap per day', {
        ok: capped === undefined,
        value: cap.isOfPanel ? `${describeCap(cap)}, set in the panel` : describeCap(cap),
        advice:
          'Withdrawals wait in their order. Find out who withdraws and why, then wait, or raise the caps in the settings or the environment.',
      })
    const noCaps = {
      ok: true,
      value: 'none: any amount can be paid within an hour',
      advice: 'Set PAYOUT_CAP_HOUR and PAYOUT_CAP_DAY, or caps in the settings.',
    }
    const capChecks = caps.length > 0 ? caps.map(describeLimit) : [check('Payout caps', noCaps)]
    const payouts = check('Payouts', {
      ok: stopped === null,
      value: stopped === null ? `${count} to be paid, ${shown(due)} XCR` : `stopped: ${stopped}`,
      advice: 'No payouts are sent. Find out where else the key is used, then run `npm run admin -- reconcile-payouts`.',
    })
    if (typeof holdings === 'string') {
      const unknown = {
        ok: false,
        value: 'no reward chain endpoint answers',
        advice: 'Check the reward chain endpoints.',
      }
      return [payouts, ...capChecks, check(tokenLabel, unknown), check(coinLabel, unknown)]
    }
    const { tokens, coins } = holdings
    return [
      payouts,
      ...capChecks,
      check(tokenLabel, {
        ok: tokens >= due && tokens > 0n,
        value: `${shown(tokens)} XCR; ${shown(due)} XCR is requested`,
        advice: `Send XCR to ${address}. Withdrawals wait until there is enough.`,
      }),
      check(coinLabel, {
        ok: coins >= MIN_COINS,
        value: `${shown(coins)} XP`,
        advice: `Send XP to ${address}. Withdrawals cannot be sent without it.`,
      }),
    ]
  }
}
