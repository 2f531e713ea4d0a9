import { useState } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { toast } from '#pwa/ui/toast.ts'
import { addToken } from '#pwa/wallet/addToken.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { switchToChain } from '#pwa/wallet/switchToChain.ts'
import { noteTokenAdded } from '#pwa/wallet/tokenFlag.ts'
import { tellNotConnected } from './tellNotConnected.ts'

interface Surroundings {
  chain: PublicConfig['rewardChain']
  provider: Eip1193Provider | null
  email: string
}

const waiting = {
  title: 'Wallet Request Waiting',
  description: 'Your wallet has a request open already. Answer it, then try again.',
}
const byHand = 'Add it in your wallet yourself, with the values above.'

/** Puts the reward chain and its token into the wallet. No withdrawal depends on it. */
export function useWalletSetup({ chain, provider, email }: Surroundings) {
  const [running, setRunning] = useState<'network' | 'token' | null>(null)

  async function addNetwork(wallet: Eip1193Provider): Promise<boolean> {
    const outcome = await switchToChain(wallet, chain)
    if (outcome === 'ready') return true
    if (outcome === 'pending') toast({ ...waiting, destructive: true })
    else if (outcome === 'rejected') {
      toast({ title: 'Network Addition Cancelled', description: `${chain.name} was not added.`, destructive: true })
    } else toast({ title: 'Network Addition Failed', description: byHand, destructive: true })
    return false
  }

  async function addXcr(wallet: Eip1193Provider): Promise<void> {
    const { tokenAddress: address, tokenSymbol: symbol, tokenDecimals: decimals } = chain
    const outcome = await addToken(wallet, { address, symbol, decimals })
    if (outcome === 'added') {
      noteTokenAdded(email)
      toast({ title: 'Token Added', description: `Your wallet shows ${symbol} on ${chain.name}.` })
    } else if (outcome === 'pending') toast({ ...waiting, destructive: true })
    else if (outcome === 'rejected') {
      toast({ title: 'Token Addition Cancelled', description: `${symbol} was not added.`, destructive: true })
    } else toast({ title: 'Token Addition Failed', description: byHand, destructive: true })
  }

  async function run(what: 'network' | 'token', act: (wallet: Eip1193Provider) => Promise<void>): Promise<void> {
    if (!provider) return tellNotConnected()
    setRunning(what)
    await act(provider)
    setRunning(null)
  }

  return {
    running,
    addNetwork: () =>
      run('network', async (wallet) => {
        if (await addNetwork(wallet)) {
          toast({ title: 'Network Added', description: `Your wallet is on ${chain.name}.` })
        }
      }),
    /** Wallets list a token on the chain they are on. */
    addToken: () =>
      run('token', async (wallet) => {
        if (await addNetwork(wallet)) await addXcr(wallet)
      }),
  }
}
