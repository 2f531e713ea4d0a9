import { useEffect, useState } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import { readChainId } from '#pwa/wallet/usdtCalls.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { readTransactionFate, type TransactionFate, type TransactionPlace } from './readTransactionFate.ts'

const INTERVAL = 4 * SECOND

/** Sender and nonce of transactions seen pending, by hash: a replaced transaction can no longer be looked up. */
const places = new Map<string, TransactionPlace>()

/** The state of a transaction as the connected wallet sees it; undefined without a wallet. The server's status takes precedence. */
export function useTransactionFate(hash: `0x${string}` | null, config: PublicConfig | undefined): TransactionFate | undefined {
  const address = useWallet((wallet) => wallet.address)
  const [found, setFound] = useState<{ hash: string; fate: TransactionFate }>()
  useEffect(() => {
    if (!hash || !address || !config) return
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    async function look() {
      try {
        const provider = await (await loadWalletAccess(config!)).provider()
        if (provider && (await readChainId(provider)) === config!.paymentChain.chainId) {
          const { fate, place } = await readTransactionFate(provider, { hash: hash!, place: places.get(hash!) })
          if (place) places.set(hash!, place)
          if (!isOver) setFound({ hash: hash!, fate })
        }
      } catch (error) {
        console.info('The transaction could not be looked up', error)
      }
      if (!isOver) timer = setTimeout(look, INTERVAL)
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [hash, address, config])
  return found?.hash === hash ? found?.fate : undefined
}
