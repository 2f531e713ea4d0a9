import { useState } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { t } from '#pwa/i18n/t.ts'
import { toast } from '#pwa/ui/toast.ts'
import { addToken } from '#pwa/wallet/addToken.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { switchToChain } from '#pwa/wallet/switchToChain.ts'
import { storeTokenAdded } from '#pwa/wallet/tokenFlag.ts'
import { showNotConnected } from './showNotConnected.ts'

interface WalletSetupContext {
  chain: PublicConfig['rewardChain']
  provider: Eip1193Provider | null
  email: string
}

/** Adds the reward chain and its token to the wallet. Withdrawals work without it. */
export function useWalletSetup({ chain, provider, email }: WalletSetupContext) {
  const [running, setRunning] = useState<'network' | 'token' | null>(null)

  async function addNetwork(wallet: Eip1193Provider): Promise<boolean> {
    const outcome = await switchToChain(wallet, chain)
    if (outcome === 'ready') return true
    if (outcome === 'pending') showWalletWaiting()
    else if (outcome === 'rejected')
      showFailure(t('Network Addition Cancelled'), t('{name} was not added.', { name: chain.name }))
    else showFailure(t('Network Addition Failed'), t('Add it manually in your wallet with the values above.'))
    return false
  }

  async function addXcr(wallet: Eip1193Provider): Promise<void> {
    const { tokenAddress: address, tokenSymbol: symbol, tokenDecimals: decimals } = chain
    const outcome = await addToken(wallet, { address, symbol, decimals })
    if (outcome === 'added') {
      storeTokenAdded(email)
      toast({
        title: t('Token Added'),
        description: t('Your wallet shows {symbol} on {network}.', { symbol, network: chain.name }),
      })
    } else if (outcome === 'pending') showWalletWaiting()
    else if (outcome === 'rejected') showFailure(t('Token Addition Cancelled'), t('{name} was not added.', { name: symbol }))
    else showFailure(t('Token Addition Failed'), t('Add it manually in your wallet with the values above.'))
  }

  async function run(what: 'network' | 'token', act: (wallet: Eip1193Provider) => Promise<void>): Promise<void> {
    if (!provider) return showNotConnected()
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

const showFailure = (title: string, description: string): void => void toast({ title, description, destructive: true })

const showWalletWaiting = (): void =>
  showFailure(t('Wallet Request Waiting'), t('Your wallet already has an open request. Respond to it, then try again.'))
