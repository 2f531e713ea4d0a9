import type { Eip1193Provider } from './Eip1193Provider.ts'
import { lastWallet, storeLastWallet, WALLET_CONNECT } from './lastWallet.ts'
import { useWallet } from './walletStore.ts'

type Address = `0x${string}`

/** Observes account changes on the connected provider: wagmi does not distinguish an empty list from a lost connection. */
export class AccountFollower {
  #followed: { provider: Eip1193Provider; listeners: Record<string, (data: never) => void> } | undefined
  #onAccounts: (accounts: readonly Address[]) => void = () => undefined

  get provider(): Eip1193Provider | undefined {
    return this.#followed?.provider
  }

  onAccounts(listener: (accounts: readonly Address[]) => void): void {
    this.#onAccounts = listener
  }

  follow(provider: Eip1193Provider): void {
    if (this.#followed?.provider === provider) return
    this.unfollow()
    const listeners = {
      accountsChanged: (accounts: never) => this.#onAccounts(readAccounts(accounts)),
      // WalletConnect's session was ended on the phone. The account keeps its address on the server.
      session_delete: () => {
        this.unfollow()
        if (lastWallet() === WALLET_CONNECT) storeLastWallet(null)
        useWallet.setState({ address: null })
      },
    }
    for (const [event, listener] of Object.entries(listeners)) provider.on(event, listener)
    this.#followed = { provider, listeners }
  }

  unfollow(): void {
    const { provider, listeners } = this.#followed ?? {}
    for (const [event, listener] of Object.entries(listeners ?? {})) provider?.removeListener?.(event, listener)
    this.#followed = undefined
  }
}

function readAccounts(accounts: unknown): Address[] {
  if (!Array.isArray(accounts)) return []
  return accounts
    .filter((one): one is Address => typeof one === 'string' && /^0x[0-9a-f]{40}$/i.test(one))
    .map((one) => one.toLowerCase() as Address)
}
