import type { Address } from 'viem'
import { createBatcher } from '../db/createBatcher.ts'
import { ChainUnavailable, type PaymentChainClient } from './PaymentChainClient.ts'
import { readBalances } from './readBalances.ts'
import { isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/** Asks the first endpoint that answers. Balances asked for at the same moment go in one call. */
export function createPaymentChainClient(endpoints: readonly RpcEndpoint[], usdt: Address): PaymentChainClient {
  const ask = (method: string, params: unknown) => askInTurn(endpoints, method, params)
  const balanceOf = createBatcher<Address, bigint>({
    maxSize: 200,
    run: (owners) => readBalances(ask, usdt, owners).catch(unavailable),
  })

  return {
    usdtBalanceOf: balanceOf,
    async isSignedBy({ wallet, message, signature }) {
      // Brought when it is first needed: it is as large as the rest of the server.
      const { createPublicClient, custom, recoverMessageAddress } = await import('viem')
      // The free way first: it needs no chain, and nearly every wallet is an ordinary account.
      const signer = await recoverMessageAddress({ message, signature }).catch(() => undefined)
      if (signer?.toLowerCase() === wallet.toLowerCase()) return true
      const client = createPublicClient({
        transport: custom({ request: ({ method, params }) => ask(method, params) }, { retryCount: 0 }),
      })
      const code = await client.getCode({ address: wallet }).catch(unavailable)
      if (!code) return false
      // A contract that rejects, or chokes on, the signature has said no; only silence is no answer.
      return client.verifyMessage({ address: wallet, message, signature }).catch((error: unknown) => {
        if (isUnavailable(error)) return unavailable(error)
        return false
      })
    },
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ChainUnavailable || (error instanceof Error && isUnavailable(error.cause))

const unavailable = (cause: unknown): never => {
  throw new ChainUnavailable('The chain does not answer now.', { cause })
}

/** What JSON-RPC answers when a call runs and reverts: every node would say the same. */
const REVERTED = 3

async function askInTurn(endpoints: readonly RpcEndpoint[], method: string, params: unknown): Promise<unknown> {
  let last: unknown
  for (const endpoint of endpoints) {
    try {
      return await endpoint.request(method, (params ?? []) as readonly unknown[])
    } catch (error) {
      if (isRpcRefusal(error) && error.code === REVERTED) throw error
      last = error
    }
  }
  throw new ChainUnavailable('No RPC endpoint answers.', { cause: last })
}
