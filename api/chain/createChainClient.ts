import { askInTurn, isUnavailable, unavailable } from './askInTurn.ts'
import type { ChainClient } from './ChainClient.ts'
import { isSignedByKey } from './isSignedByKey.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** Asks the first endpoint of a chain that answers. */
export function createChainClient(endpoints: readonly RpcEndpoint[]): ChainClient {
  const hasCode: ChainClient['hasCode'] = async (address) => {
    const code = await askInTurn(endpoints, 'eth_getCode', [address, 'latest']).catch((error: unknown) => {
      throw unavailable(error)
    })
    return code !== '0x'
  }

  return {
    hasCode,
    async isSignedBy(signed) {
      // The free way first: it needs no chain, and nearly every wallet is an ordinary account.
      if (await isSignedByKey(signed)) return true
      if (!(await hasCode(signed.wallet))) return false
      const { createPublicClient, custom } = await import('viem')
      const client = createPublicClient({
        transport: custom({ request: ({ method, params }) => askInTurn(endpoints, method, params) }, { retryCount: 0 }),
      })
      const { wallet: address, message, signature } = signed
      // A contract that rejects, or chokes on, the signature has said no; only silence is no answer.
      return client.verifyMessage({ address, message, signature }).catch((error: unknown) => {
        if (isUnavailable(error)) throw unavailable(error)
        return false
      })
    },
  }
}
