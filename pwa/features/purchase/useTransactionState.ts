import { useEffect, useState } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import { readChainId } from '#pwa/wallet/usdtCalls.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { readTransactionState, type TransactionState, type TransactionNonce } from './readTransactionState.ts'

const POLL_INTERVAL = 4 * SECOND

/** Sender and nonce of transactions seen pending, by hash: a replaced transaction can no longer be looked up. */
const places = new Map<string, TransactionNonce>()

/** The state of a transaction as the connected wallet sees it; undefined without a wallet. The server's status takes precedence. */
export function useTransactionState(hash: `0x${string}` | null, config: PublicConfig | undefined): TransactionState | undefined {
  const address = useWallet((wallet) => wallet.address)
  const [found, setFound] = useState<{ hash: string; transactionState: TransactionState }>()
  useEffect(() => {
    if (!hash || !address || !config) return
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    async function look() {
      try {
        const provider = await (await loadWalletAccess(config!)).provider()
        if (provider && (await readChainId(provider)) === config!.paymentChain.chainId) {
          const { transactionState, place } = await readTransactionState(provider, { hash: hash!, place: places.get(hash!) })
          if (place) places.set(hash!, place)
          if (!isOver) setFound({ hash: hash!, transactionState })
        }
      } catch (error) {
        console.info('The transaction could not be looked up', error)
      }
      if (!isOver) timer = setTimeout(look, POLL_INTERVAL)
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [hash, address, config])
  return found?.hash === hash ? found?.transactionState : undefined
}
