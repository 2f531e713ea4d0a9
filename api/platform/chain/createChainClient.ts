import { requestWithFallback, isFailedCall, unavailable } from './requestWithFallback.ts'
import type { ChainClient, Code, SignedText } from './ChainClient.ts'
import { isSignedByKey } from './isSignedByKey.ts'
import { readChainTime } from './readChainTime.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** Uses the first endpoint that answers. */
export function createChainClient(endpoints: readonly RpcEndpoint[]): ChainClient {
  const ask = async (method: string, params: readonly unknown[]): Promise<string> =>
    (await requestWithFallback(endpoints, method, params).catch((error: unknown) => {
      throw isFailedCall(error) ? error : unavailable(error)
    })) as string

  const codeAt: ChainClient['codeAt'] = async (address) => kindOf(await ask('eth_getCode', [address, 'latest']))

  return {
    codeAt,
    readTime: (latest) => readChainTime(endpoints, latest),
    async isSignedBy(signed) {
      // Recovers the key first: it needs no request, and most wallets are ordinary accounts.
      if (await isSignedByKey(signed)) return true
      if ((await codeAt(signed.wallet)) === 'none') return false
      const data = await encodeQuestion(signed)
      if (!data) return false
      const answer = await ask('eth_call', [{ to: signed.wallet, data }, 'latest']).catch((error: unknown) => {
        // A contract that reverts rejects the signature; only a missing answer is inconclusive.
        if (isFailedCall(error)) return '0x'
        throw error
      })
      return answer.slice(0, VALID.length) === VALID
    },
  }
}

/** The EIP-7702 delegation designator: 0xef0100 and the delegate's address, 23 bytes. */
const delegation = /^0xef0100[0-9a-f]{40}$/i

function kindOf(code: string): Code {
  if (code === '0x') return 'none'
  return delegation.test(code) ? 'delegation' : 'contract'
}

/**
 * The EIP-1271 return value for a valid signature: the function's selector, padded to a word. Comparing the whole word excludes
 * contracts that merely echo their input.
 */
const VALID = '0x1626ba7e'.padEnd(66, '0')

/**
 * Encodes the EIP-1271 call `isValidSignature(hash, signature)`; undefined if the signature is malformed. viem's `verifyMessage`
 * is not used, because it treats an unavailable endpoint as an invalid signature.
 */
async function encodeQuestion({ message, signature }: SignedText): Promise<`0x${string}` | undefined> {
  const { encodeFunctionData, hashMessage, parseAbi, parseErc6492Signature } = await import('viem')
  try {
    return encodeFunctionData({
      abi: parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)']),
      // Some wallets wrap signatures for undeployed contracts (ERC-6492); this contract exists.
      args: [hashMessage(message), parseErc6492Signature(signature).signature],
    })
  } catch {
    return undefined
  }
}
