import type { ReactNode } from 'react'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { useWalletActions } from './useWalletActions.ts'

/** Menu item that removes the wallet from the account. Renders nothing while no wallet is connected. */
export function DisconnectItem({ render }: { render: (disconnect: () => void) => ReactNode }): ReactNode {
  const address = useWallet((wallet) => wallet.address)
  const actions = useWalletActions()
  if (!address || !actions) return null
  return render(() => void actions.disconnect())
}
