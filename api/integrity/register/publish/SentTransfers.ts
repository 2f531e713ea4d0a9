import { mapConcurrent } from '#api/platform/chain/mapConcurrent.ts'
import { readAgreedReceipt, transfersIn } from '#api/platform/chain/readAgreedReceipt.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Hex, Transfer } from '#shared/register/values.ts'

interface SentTransfer {
  /** The index among all transfers of the token in the transaction. */
  ordinal: number
  wallet: Hex
  amount: bigint
}

const MAX_CONCURRENT_RECEIPTS = 8

/** The transfers out of our wallets in some transactions of the reward chain. Transactions that could not be read are missing. */
export class SentTransfers {
  readonly #asked: ReadonlySet<Hex>
  readonly #transfers = new Map<string, (Omit<SentTransfer, 'wallet'> & { wallet: Hex | null })[]>()

  private constructor(asked: readonly Hex[]) {
    this.#asked = new Set(asked)
  }

  static async read(
    endpoints: readonly RpcEndpoint[],
    { hashes, token, wallets }: { hashes: readonly Hex[]; token: Hex; wallets: ReadonlySet<string> },
  ): Promise<SentTransfers> {
    const sent = new SentTransfers(hashes)
    await mapConcurrent([...sent.#asked], MAX_CONCURRENT_RECEIPTS, async (hash) => {
      const receipt = await readAgreedReceipt(endpoints, hash)
      if (receipt.kind !== 'agreed') return
      const transfers = transfersIn(receipt.answer, token).map(({ ordinal, sender, amount }) => ({
        ordinal,
        wallet: wallets.has(sender) ? sender : null,
        amount,
      }))
      sent.#transfers.set(hash, transfers)
    })
    return sent
  }

  /** Whether all of these were looked for, found or not. */
  covers(transactions: readonly Hex[]): boolean {
    return transactions.every((hash) => this.#asked.has(hash))
  }

  /** The paying wallet; null if it is none of ours, undefined if the transaction is not known. */
  walletOf({ transaction, ordinal }: Transfer): Hex | null | undefined {
    return this.#transfers.get(transaction)?.find((transfer) => transfer.ordinal === ordinal)?.wallet
  }

  /** The transfers from our wallets that moved something; undefined if the transaction is not known. */
  transfersOf(transaction: Hex): SentTransfer[] | undefined {
    return this.#transfers
      .get(transaction)
      ?.flatMap(({ wallet, ...transfer }) => (wallet && transfer.amount > 0n ? [{ ...transfer, wallet }] : []))
  }
}
