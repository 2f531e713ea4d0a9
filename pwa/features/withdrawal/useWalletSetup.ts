import { useState } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { t } from '#pwa/i18n/t.ts'
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

/** Adds the reward chain and its token to the wallet. Withdrawals work without it. */
export function useWalletSetup({ chain, provider, email }: Surroundings) {
  const [running, setRunning] = useState<'network' | 'token' | null>(null)

  async function addNetwork(wallet: Eip1193Provider): Promise<boolean> {
    const outcome = await switchToChain(wallet, chain)
    if (outcome === 'ready') return true
    if (outcome === 'pending') tellWaiting()
    else if (outcome === 'rejected')
      tellFailure(t('Network Addition Cancelled'), t('{name} was not added.', { name: chain.name }))
    else tellFailure(t('Network Addition Failed'), t('Add it in your wallet yourself, with the values above.'))
    return false
  }

  async function addXcr(wallet: Eip1193Provider): Promise<void> {
    const { tokenAddress: address, tokenSymbol: symbol, tokenDecimals: decimals } = chain
    const outcome = await addToken(wallet, { address, symbol, decimals })
    if (outcome === 'added') {
      noteTokenAdded(email)
      toast({
        title: t('Token Added'),
        description: t('Your wallet shows {symbol} on {network}.', { symbol, network: chain.name }),
      })
    } else if (outcome === 'pending') tellWaiting()
    else if (outcome === 'rejected') tellFailure(t('Token Addition Cancelled'), t('{name} was not added.', { name: symbol }))
    else tellFailure(t('Token Addition Failed'), t('Add it in your wallet yourself, with the values above.'))
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
          toast({ title: t('Network Added'), description: t('Your wallet is on {network}.', { network: chain.name }) })
        }
      }),
    /** Wallets list tokens on their current chain. */
    addToken: () =>
      run('token', async (wallet) => {
        if (await addNetwork(wallet)) await addXcr(wallet)
      }),
  }
}

const tellFailure = (title: string, description: string): void => void toast({ title, description, destructive: true })

const tellWaiting = (): void =>
  tellFailure(t('Wallet Request Waiting'), t('Your wallet has a request open already. Answer it, then try again.'))
