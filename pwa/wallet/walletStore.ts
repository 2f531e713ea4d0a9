import { create } from 'zustand'

/** A wallet of this browser. */
export interface WalletChoice {
  id: string
  name: string
  /** A data URL of an image, or nothing: an announced icon is untrusted input. */
  icon: string | undefined
}

/** Used in place of a wallet's id for any wallet in the modal. */
export const MORE_WALLETS = 'more'

interface WalletState {
  /** Lower case; null while no wallet is connected. */
  address: `0x${string}` | null
  /** The wallet was asked and has not answered. */
  isConnecting: boolean
  /** An earlier connection is being restored. */
  isRestoring: boolean
  /** The wallet was asked to sign the proof of ownership. */
  isProving: boolean
  /** This browser has at least one wallet. */
  hasProvider: boolean
  wallets: readonly WalletChoice[]
  /** The wallet sheet is open. */
  isSheetOpen: boolean
  sheetPurpose: WalletPurpose
}

/** What the wallet sheet was opened for. */
export interface WalletPurpose {
  /** `null`: it has no purpose of its own. */
  for: 'payment' | 'withdrawal' | null
  /** Called once a wallet is connected and registered, unless the sheet was closed before. */
  onConnected?: () => void
}

const noPurpose: WalletPurpose = { for: null }

/** The state of the user's wallet. Free of wallet libraries, so that every page can import it. */
export const useWallet = create<WalletState>()(() => ({
  address: null,
  isConnecting: false,
  isRestoring: false,
  isProving: false,
  hasProvider: false,
  wallets: [],
  isSheetOpen: false,
  sheetPurpose: noPurpose,
}))

export const openWalletSheet = (purpose: WalletPurpose = noPurpose): void =>
  useWallet.setState({ isSheetOpen: true, sheetPurpose: purpose })

/** Closes it, and nothing follows if the wallet still answers. */
export const closeWalletSheet = (): void => useWallet.setState({ isSheetOpen: false, sheetPurpose: noPurpose })
