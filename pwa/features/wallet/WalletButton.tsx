/** Stands in the top bar until a wallet can be connected. */
export function WalletButton() {
  return null
}
