import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { createLocalProvider, type WalletRequest } from '#pwa/wallet/createLocalProvider.ts'
import { type Relay, walletApp } from './startRelay.ts'

export interface PhoneWallet {
  address: `0x${string}`
  /** What its owner was asked, in order. */
  requests: WalletRequest[]
  /** Reads the code or the link of a page, and approves the connection. */
  scan: (uri: string) => Promise<void>
  /** Leaves what it is asked unanswered until the returned function is called. */
  putAway: () => () => void
  /** Simulates choosing another account in the app; returns its address. */
  chooseAnotherAccount: () => Promise<`0x${string}`>
  /** Ends every connection, as its owner can in the app. */
  disconnect: () => Promise<void>
}

/** A wallet in another app, which knows the payment chain and is reached through WalletConnect's relay. */
export async function startPhoneWallet({ relay, rpcUrl }: { relay: Relay; rpcUrl: string }): Promise<PhoneWallet> {
  const account = privateKeyToAccount(generatePrivateKey())
  const requests: WalletRequest[] = []
  let inHand = Promise.resolve()
  const provider = createLocalProvider({
    account,
    chains: { [PAYMENT_CHAIN_ID]: rpcUrl },
    chainId: PAYMENT_CHAIN_ID,
    isConnected: true,
    async approve(request) {
      requests.push(request)
      await inHand
      return true
    },
  })
  // Node's own WebSocket has no pings. In this environment the wallet does not ask WalletConnect's servers who is talking to it.
  vi.stubGlobal('WebSocket', WebSocket)
  vi.stubEnv('IS_VITEST', 'true')
  const { SignClient } = await import('@walletconnect/sign-client')
  const client = await SignClient.init({
    projectId: 'test',
    relayUrl: relay.url,
    logger: 'silent',
    metadata: { name: walletApp, description: '', url: 'https://wallet.example', icons: [] },
  })
  onTestFinished(() => {
    client.core.heartbeat.stop()
    return client.core.relayer.transportClose()
  })
  const chain = `eip155:${PAYMENT_CHAIN_ID}`
  client.on('session_proposal', ({ id, params }) => {
    const { methods, events } = params.optionalNamespaces.eip155!
    void client.approve({
      id,
      namespaces: { eip155: { chains: [chain], accounts: [`${chain}:${account.address}`], methods, events } },
    })
  })
  client.on('session_request', async ({ topic, id, params: { request } }) => {
    const answer = await provider.request(request).then(
      (result) => ({ result }),
      ({ code, message }: { code: number; message: string }) => ({ error: { code, message } }),
    )
    await client.respond({ topic, response: { id, jsonrpc: '2.0', ...answer } as never })
  })
  return {
    address: account.address.toLowerCase() as `0x${string}`,
    requests,
    scan: (uri) => client.core.pairing.pair({ uri }).then(() => undefined),
    putAway() {
      const { promise, resolve } = Promise.withResolvers<void>()
      inHand = promise
      return resolve
    },
    async chooseAnotherAccount() {
      const another = privateKeyToAccount(generatePrivateKey())
      provider.setAccount(another)
      for (const { topic, namespaces } of client.session.getAll()) {
        const { acknowledged } = await client.update({
          topic,
          namespaces: { eip155: { ...namespaces.eip155!, accounts: [`${chain}:${another.address}`] } },
        })
        await acknowledged()
        await client.emit({ topic, chainId: chain, event: { name: 'accountsChanged', data: [another.address] } })
      }
      return another.address.toLowerCase() as `0x${string}`
    },
    async disconnect() {
      for (const { topic } of client.session.getAll())
        await client.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } })
    },
  }
}
