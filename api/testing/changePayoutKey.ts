import { generatePrivateKey } from 'viem/accounts'
import { parseAmount } from '#shared/amount.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import type { PayoutWorker } from '#api/withdrawals/payouts/PayoutWorker.ts'
import type { Payouts, WorkerOptions } from './payouts.ts'

/** Configures another key, whose wallet has 10,000 XCR. @returns its worker. */
export async function changePayoutKey({ chain, newWorker }: Payouts, options: WorkerOptions = {}): Promise<PayoutWorker> {
  const privateKey = generatePrivateKey()
  const account = await createPayoutAccount({ privateKey, chainId: chain.chainId, token: chain.token })
  await chain.client.setBalance({ address: account.address, value: 10n ** 18n })
  await chain.mint(account.address, parseAmount('10000')!)
  return newWorker({ account, ...options })
}
