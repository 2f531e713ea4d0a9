import type { QueryClient } from '@tanstack/react-query'
import { announceProvider } from '#pwa/wallet/announceProvider.ts'
import { connectWallet } from '#pwa/wallet/connectWallet.ts'
// Loaded before the first test, because on a busy machine the wallet libraries take longer than a test waits.
import '#pwa/wallet/createWalletAccess.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { amountOf, someConfig, someUser } from './answers.ts'

type Answers = Record<string, (parameters: readonly unknown[]) => unknown>

export interface FakeWallet extends Eip1193Provider {
  id: string
  /** Every requested method, in order. */
  asked: string[]
  emit: (event: string, data: unknown) => void
}

/** A wallet's error. */
export const walletError = (code: number, message = 'No.', more: object = {}): Error =>
  Object.assign(new Error(message), { code, ...more })

export const someHash = `0x${'ab'.repeat(32)}` as const

let wallets = 0

/** A wallet on the payment chain with 1,000 USDT that approves everything, except where `answers` override it. */
export function makeWallet(answers: Answers = {}, account: string = someUser().walletAddress!): FakeWallet {
  const listeners = new Map<string, Set<(data: never) => void>>()
  const known: Answers = {
    eth_requestAccounts: () => [account],
    eth_accounts: () => [account],
    eth_chainId: () => '0x38',
    eth_call: () => `0x${amountOf('1000').toString(16).padStart(64, '0')}`,
    eth_sendTransaction: () => someHash,
    personal_sign: () => '0x1234',
    wallet_switchEthereumChain: () => null,
    wallet_revokePermissions: () => null,
    ...answers,
  }
  const wallet: FakeWallet = {
    id: `wallet.number${++wallets}`,
    asked: [],
    async request({ method, params }) {
      wallet.asked.push(method)
      const answer = known[method]
      if (!answer) throw walletError(-32601, `${method} is not supported.`)
      return answer((params ?? []) as readonly unknown[])
    },
    on: (event, listener) => listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    removeListener: (event, listener) => listeners.get(event)?.delete(listener),
    emit(event, data) {
      for (const listener of listeners.get(event) ?? []) listener(data as never)
    },
  }
  return wallet
}

/** Injects a wallet and removes it after the test. */
export function announceWallet(wallet: FakeWallet): FakeWallet {
  announceProvider(wallet, { name: `Wallet ${wallets}`, rdns: wallet.id, icon: 'data:image/svg+xml,' })
  return wallet
}

/** Simulates a user who has connected this wallet. */
export async function connectFakeWallet(queryClient: QueryClient, wallet: FakeWallet): Promise<FakeWallet> {
  announceWallet(wallet)
  await connectWallet({ config: someConfig(), queryClient }, wallet.id)
  return wallet
}
