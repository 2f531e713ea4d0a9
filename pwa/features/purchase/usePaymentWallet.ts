import { useCallback, useEffect, useRef, useState } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import type { Order } from './purchaseFlow.ts'
import { dispatch } from './purchaseFlowStore.ts'
import { readPaymentWallet, type WalletReading } from './readPaymentWallet.ts'

/** Wallets change network and account without an event. */
const POLL_INTERVAL = 2 * SECOND

/**
 * Polls whether the wallet is ready to pay. Everything slow thus happens before the tap, so the wallet is asked while the tap's
 * user activation is still valid. Undefined until the first reading.
 */
export function usePaymentWallet(order: Order | null, config: PublicConfig | undefined) {
  const [reading, setReading] = useState<WalletReading>()
  const address = useWallet((wallet) => wallet.address)
  const owner = order?.wallet ?? null
  const amount = order?.amount ?? 0n
  const newest = useRef(0)
  const last = useRef<WalletReading['at']>(undefined)

  const read = useCallback(async (): Promise<WalletReading | undefined> => {
    if (!owner || !config) return undefined
    const turn = ++newest.current
    const found = await readPaymentWallet({ owner, amount, config })
    if (turn !== newest.current) return found
    setReading(found)
    if (last.current !== undefined && last.current !== found.at) dispatch({ type: 'walletChanged' })
    last.current = found.at
    const at = new Date()
    if (found.at === 'ready' || found.at === 'short') dispatch({ type: 'stepReached', step: 'network', at })
    if (found.at === 'ready') dispatch({ type: 'stepReached', step: 'balance', at })
    return found
  }, [owner, amount, config])

  /** Discards a reading that is under way. */
  const forget = useCallback(() => {
    newest.current++
    setReading(undefined)
  }, [])

  useEffect(() => {
    if (!owner || !config) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    async function look() {
      clearTimeout(timer)
      await read()
      if (!isOver) timer = setTimeout(look, POLL_INTERVAL)
    }
    const lookNow = () => void look()
    lookNow()
    // The user may have changed something in the wallet app.
    const moments = [
      [document, 'visibilitychange'],
      [window, 'pageshow'],
      [window, 'focus'],
    ] as const
    for (const [target, event] of moments) target.addEventListener(event, lookNow)
    return () => {
      isOver = true
      clearTimeout(timer)
      for (const [target, event] of moments) target.removeEventListener(event, lookNow)
      forget()
    }
  }, [owner, config, read, forget, address])

  return { reading, read }
}
