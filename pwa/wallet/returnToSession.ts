import type { Eip1193Provider } from './Eip1193Provider.ts'

/** What WalletConnect's provider has beside. */
interface Session {
  chainId: number
  session: { namespaces: Record<string, { accounts: readonly string[] }> }
}

/**
 * Puts WalletConnect's provider back on a chain of its session, which does not ask the wallet. On any other, such as one that was added
 * to the wallet later, it has no account and refuses to sign. Undefined if there is nothing to do, as for all other providers.
 */
export function returnToSession(provider: Eip1193Provider): Promise<unknown> | undefined {
  const { session, chainId } = provider as Partial<Session>
  // Accounts are CAIP-10: eip155:56:0x….
  const accounts = Object.values(session?.namespaces ?? {}).flatMap((namespace) => namespace.accounts)
  const chains = accounts.map((account) => Number(account.split(':')[1]))
  if (!chains[0] || chains.includes(chainId!)) return undefined
  return provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: `0x${chains[0].toString(16)}` }] })
}
