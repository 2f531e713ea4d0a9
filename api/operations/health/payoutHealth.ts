import { formatAmount } from '#shared/amount.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { createPayoutAccount, type PayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { describeCap, type PayoutCap, readCaps } from '#api/withdrawals/payoutWallets/payoutCaps.ts'
import { createHoldingsReader, hasFewCoins, hasFewTokens } from '#api/withdrawals/payoutWallets/readHoldings.ts'
import type { Services } from '#api/platform/services.ts'
import { readPayoutProgress } from '../status/payoutProgress.ts'
import { readWithTimeout } from './readWithTimeout.ts'
import { check, type HealthSource } from './HealthSource.ts'

const tokenLabel = 'Payout wallet, XCR'
const coinLabel = 'Payout wallet, XP for fees'

const shown = (value: bigint) => formatAmount(value, { maxDecimals: 4, grouped: true })

/** Checks the payout wallet's balances against the open withdrawals, and whether payouts run. */
export function payoutHealth({ config, clock }: Pick<Services, 'clock' | 'config'>): HealthSource {
  const readHoldings = createHoldingsReader({ config })
  let account: Promise<PayoutAccount> | undefined

  return async (em) => {
    account ??= createPayoutAccount({
      privateKey: config.PAYOUT_PRIVATE_KEY,
      chainId: REWARD_CHAIN_ID,
      token: config.XCR_TOKEN_ADDRESS,
    })
    const { address } = await account
    const asked = readWithTimeout(() => readHoldings(address))
    const { stoppedBecause: stopped, isCapped, waiting: count, due } = await readPayoutProgress(em, address)
    const holdings = await asked
    const caps = await readCaps(em, config, clock.now())
    const describeLimit = (cap: PayoutCap) =>
      check(cap.period === 'hour' ? 'Payout cap per hour' : 'Payout cap per day', {
        ok: !isCapped && cap.limit > 0n,
        value: cap.isOfPanel ? `${describeCap(cap)}, set in the panel` : describeCap(cap),
        advice:
          cap.limit > 0n
            ? 'Withdrawals wait in their order. Find out who withdraws and why, then wait, or raise the caps in the settings or the environment.'
            : 'A cap of 0 stops all payouts. Raise it in the settings or the environment once they may go on.',
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
        ok: !hasFewTokens(holdings, due),
        value: `${shown(tokens)} XCR; ${shown(due)} XCR is requested`,
        advice: `Send XCR to ${address}. Withdrawals wait until there is enough.`,
      }),
      check(coinLabel, {
        ok: !hasFewCoins(holdings),
        value: `${shown(coins)} XP`,
        advice: `Send XP to ${address}. Withdrawals cannot be sent without it.`,
      }),
    ]
  }
}
