import type { Address } from 'viem'
import type { PayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { type PayoutContextOptions, PayoutContext } from './PayoutContext.ts'
import { readChain } from './readChain.ts'
import { resendPayouts } from './sendPayouts.ts'
import { emptyNotes, type SettlementNotes } from './SettlementNotes.ts'
import { settlePayouts } from './settlePayouts.ts'

interface FormerWallet {
  context: PayoutContext
  notes: SettlementNotes
}

/**
 * Sends and settles the remaining payouts of wallets whose key is no longer configured. The key is only needed to replace or cancel a
 * payout.
 */
export class FormerWallets {
  readonly #options: PayoutContextOptions
  readonly #wallets = new Map<Address, FormerWallet>()

  constructor(options: PayoutContextOptions) {
    this.#options = options
  }

  async tick(context: PayoutContext): Promise<void> {
    const rows = await context.read
      .selectFrom('payouts')
      .select(({ fn }) => ['wallet as address', fn.countAll<number>().as('count')])
      .where('state', '=', 'sent')
      .where('wallet', '<>', context.account.address)
      .groupBy('wallet')
      .orderBy('wallet')
      .execute()
    for (const { address, count } of rows) {
      const wallet = this.#wallets.get(address) ?? {
        context: new PayoutContext({ ...this.#options, account: keyless(address) }),
        notes: emptyNotes(),
      }
      this.#wallets.set(address, wallet)
      await wallet.context.alert(
        'former',
        `${count} payouts of the wallet ${address} are not final, and its key is no longer configured. They are resent unchanged, ` +
          'but cannot be replaced or cancelled: configure the key again until they are final.',
      )
      await tickWallet(wallet)
    }
  }
}

async function tickWallet({ context, notes }: FormerWallet): Promise<void> {
  const { endpoint } = context
  try {
    const view = await readChain(context)
    await context.leaveStopped(view)
    await settlePayouts(context, view, notes)
    await resendPayouts(context, view)
  } catch (error) {
    context.leave(endpoint)
    throw error
  }
}

function keyless(address: Address): PayoutAccount {
  const refuse = (): never => {
    throw new Error(`The key of the wallet ${address} is not configured.`)
  }
  return { address, signTransfer: refuse, signNothing: refuse, gasOf: refuse }
}
