import type { Connector, CreateConnectorFn } from 'wagmi'
import { connect, disconnect, getConnection, getConnectors, reconnect, watchConnectors } from 'wagmi/actions'
import { injected } from 'wagmi/connectors'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { useLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { AccountFollower } from './AccountFollower.ts'
import { createWagmiConfig } from './createWagmiConfig.ts'
import type { Eip1193Provider } from './Eip1193Provider.ts'
import { findInjected, type InjectedWallet, onceProviderInjected } from './findInjected.ts'
import { lastWallet, storeLastWallet, WALLET_CONNECT } from './lastWallet.ts'
import { returnToSession } from './returnToSession.ts'
import { useWallet, type WalletChoice } from './walletStore.ts'

type Address = `0x${string}`

export interface WalletAccess {
  /** Asks a wallet to show its account. Rejects with the wallet's error. */
  connect(walletId: string): Promise<Address>
  /** The account of an earlier connection, without a prompt; null if there is none. */
  restore(): Promise<Address | null>
  disconnect(): Promise<void>
  /** The provider of the connected wallet. */
  provider(): Promise<Eip1193Provider | undefined>
  /** Called with the wallet's accounts when they change; empty when it locks or revokes access. */
  onAccounts(listener: (accounts: readonly Address[]) => void): void
  /** The WalletConnect modal; null unless a project id is configured. */
  openMoreWallets: (() => Promise<Address>) | null
}

const FALLBACK_ID = 'injected'
const ANNOUNCEMENT_TIMEOUT = 3 * SECOND

/** Everything that needs a wallet library, loaded on demand (loadWalletAccess.ts). */
export function createWalletAccess(config: PublicConfig): WalletAccess {
  const wagmi = createWagmiConfig(config)
  const follower = new AccountFollower()

  const findCandidates = (): Candidate[] => {
    // WalletConnect is not a wallet of this browser.
    const inBrowser = getConnectors(wagmi).filter(({ type }) => type === injected.type)
    const announced = inBrowser.map((connector) => ({ ...nameOf(connector), connector }))
    if (announced.length > 0) return announced
    const injectedWallet = findInjected()
    return injectedWallet ? [unannounced(injectedWallet)] : []
  }
  const list = () => {
    const wallets = findCandidates().map(({ id, name, icon }): WalletChoice => ({ id, name, icon }))
    useWallet.setState({ wallets, hasProvider: wallets.length > 0 })
  }
  list()
  watchConnectors(wagmi, { onChange: list })
  onceProviderInjected(list)
  // A wallet without a name gets one in the page's language.
  useLanguage.subscribe(list)

  async function currentProvider(): Promise<Eip1193Provider | undefined> {
    return follower.provider ?? connectedProvider()
  }

  async function connectedProvider(): Promise<Eip1193Provider | undefined> {
    return (await getConnection(wagmi).connector?.getProvider()) as Eip1193Provider | undefined
  }

  async function follow(): Promise<void> {
    const provider = await connectedProvider()
    if (provider) follower.follow(provider)
  }

  /** WalletConnect, if it was used last and is still connected. The relay may take a minute to answer. */
  async function whenRelayed(): Promise<Connector[]> {
    const connector = getConnectors(wagmi).find(({ id }) => id === WALLET_CONNECT)
    const provider = (await connector?.getProvider()) as (Eip1193Provider & { session?: object }) | undefined
    if (provider) await returnToSession(provider)
    // Meanwhile it may have been disconnected, or another wallet connected, which wagmi would replace.
    if (lastWallet() !== WALLET_CONNECT || getConnection(wagmi).connector) return []
    if (connector && provider?.session) return [connector]
    storeLastWallet(null)
    return []
  }

  /** The wallet with this id; any of this browser if null. It may announce itself later than others. */
  function whenAnnounced(walletId: string | null): Promise<Candidate[]> {
    const find = () => findCandidates().filter(({ id }) => walletId === null || id === walletId)
    return new Promise((resolve) => {
      const settle = () => {
        stop()
        clearTimeout(timer)
        resolve(find())
      }
      const stop = watchConnectors(wagmi, { onChange: () => find().length > 0 && settle() })
      const timer = setTimeout(settle, ANNOUNCEMENT_TIMEOUT)
      if (find().length > 0) settle()
    })
  }

  async function leave(): Promise<void> {
    follower.unfollow()
    if (getConnection(wagmi).connector) await disconnect(wagmi)
  }

  return {
    async connect(walletId) {
      const chosen = findCandidates().find(({ id }) => id === walletId)
      if (!chosen) return refuse(t('This wallet is no longer available.'))
      const current = getConnection(wagmi)
      if (current.connector && current.connector.id !== walletId) await leave()
      if (current.connector?.id === walletId && current.address) {
        // The answer came after the page had timed out.
        await follow()
        return lower(current.address)
      }
      const { accounts } = await connect(wagmi, { connector: chosen.connector })
      storeLastWallet(walletId)
      await follow()
      return lower(accounts[0])
    },

    async restore() {
      const last = lastWallet()
      const connectors =
        last === WALLET_CONNECT ? await whenRelayed() : (await whenAnnounced(last)).map(({ connector }) => connector)
      // wagmi treats an empty list as all wallets.
      if (connectors.length === 0) return null
      const [connection] = await reconnect(wagmi, { connectors })
      if (!connection) return null
      await follow()
      return lower(connection.accounts[0])
    },

    async disconnect() {
      storeLastWallet(null)
      await leave()
    },

    provider: currentProvider,

    onAccounts: (listener) => follower.onAccounts(listener),

    openMoreWallets: config.walletConnectProjectId
      ? async () => {
          const { openWalletConnectModal } = await import('./walletConnectModal.ts')
          const address = await openWalletConnectModal(wagmi, config.walletConnectProjectId!)
          if (!address) {
            await leave()
            return refuse(t('This wallet has no account on BNB Smart Chain.'))
          }
          // The modal also lists the wallets of this browser.
          storeLastWallet(getConnection(wagmi).connector!.id)
          await follow()
          return lower(address)
        }
      : null,
  }
}

const refuse = (text: string): Promise<never> => Promise.reject(new Error(text))

interface Candidate extends WalletChoice {
  connector: Connector | CreateConnectorFn
}

/** The announced name and icon are untrusted: the name is rendered as text, the icon only if it is a data URL of an image. */
function nameOf({ id, name, icon }: Connector): WalletChoice {
  const trimmed = icon?.trim()
  return { id, name, icon: trimmed?.startsWith('data:image/') ? trimmed : undefined }
}

/** The one wallet that did not announce itself. */
const unannounced = ({ name, provider }: InjectedWallet): Candidate => ({
  id: FALLBACK_ID,
  name,
  icon: undefined,
  connector: injected({ target: { id: FALLBACK_ID, name, provider: () => provider as never } }),
})

const lower = (address: Address): Address => address.toLowerCase() as Address
