import { create } from 'zustand'

/** A wallet that this browser offers. */
export interface WalletChoice {
  id: string
  name: string
  /** A data URL of an image, or nothing: an announced icon is the wallet's word and may be anything. */
  icon: string | undefined
}

/** In place of a wallet's id: whatever the modal of other wallets lists. */
export const MORE_WALLETS = 'more'

interface WalletState {
  /** Lower case; null while no wallet is connected. */
  address: `0x${string}` | null
  /** The wallet was asked and has not answered. */
  isConnecting: boolean
  /** An earlier connection is looked for. */
  isRestoring: boolean
  /** The connected wallet was asked to sign that it belongs to the account. */
  isProving: boolean
  /** This browser has at least one wallet. */
  hasProvider: boolean
  wallets: readonly WalletChoice[]
  /** The list of wallets is open. */
  isSheetOpen: boolean
  /** It was opened from the payment dialog. */
  isSheetForPayment: boolean
}

/** What this browser knows of the person's wallet. Free of wallet libraries: every page may read it. */
export const useWallet = create<WalletState>()(() => ({
  address: null,
  isConnecting: false,
  isRestoring: false,
  isProving: false,
  hasProvider: false,
  wallets: [],
  isSheetOpen: false,
  isSheetForPayment: false,
}))

export const openWalletSheet = ({ isForPayment = false } = {}): void =>
  useWallet.setState({ isSheetOpen: true, isSheetForPayment: isForPayment })
