import { askInTurn, isFailedCall, unavailable } from './askInTurn.ts'
import type { ChainClient, Code, SignedText } from './ChainClient.ts'
import { isSignedByKey } from './isSignedByKey.ts'
import { readChainTime } from './readChainTime.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** Asks the first endpoint of a chain that answers. */
export function createChainClient(endpoints: readonly RpcEndpoint[]): ChainClient {
  const ask = async (method: string, params: readonly unknown[]): Promise<string> =>
    (await askInTurn(endpoints, method, params).catch((error: unknown) => {
      throw isFailedCall(error) ? error : unavailable(error)
    })) as string

  const codeAt: ChainClient['codeAt'] = async (address) => kindOf(await ask('eth_getCode', [address, 'latest']))

  return {
    codeAt,
    readTime: (latest) => readChainTime(endpoints, latest),
    async isSignedBy(signed) {
      // The free way first: it needs no chain, and nearly every wallet is an ordinary account.
      if (await isSignedByKey(signed)) return true
      if ((await codeAt(signed.wallet)) === 'none') return false
      const data = await encodeQuestion(signed)
      if (!data) return false
      const answer = await ask('eth_call', [{ to: signed.wallet, data }, 'latest']).catch((error: unknown) => {
        // A contract that rejects, or chokes on, the signature has said no; only silence is no answer.
        if (isFailedCall(error)) return '0x'
        throw error
      })
      return answer.slice(0, VALID.length) === VALID
    },
  }
}

/** EIP-7702's designator: 0xef0100 and the address delegated to, 23 bytes in all. */
const delegation = /^0xef0100[0-9a-f]{40}$/i

function kindOf(code: string): Code {
  if (code === '0x') return 'none'
  return delegation.test(code) ? 'delegation' : 'contract'
}

/**
 * What a contract answers to its question, by EIP-1271, if the signature is good: the question's own selector, as a whole word, because
 * something that merely echoes what it is sent is no wallet.
 */
const VALID = '0x1626ba7e'.padEnd(66, '0')

/**
 * EIP-1271's question, `isValidSignature(hash, signature)`; undefined if the signature is no such thing. Not by viem's `verifyMessage`: to
 * that an endpoint that does not answer is a signature that is not valid.
 */
async function encodeQuestion({ message, signature }: SignedText): Promise<`0x${string}` | undefined> {
  const { encodeFunctionData, hashMessage, parseAbi, parseErc6492Signature } = await import('viem')
  try {
    return encodeFunctionData({
      abi: parseAbi(['function isValidSignature(bytes32, bytes) view returns (bytes4)']),
      // Some wallets wrap it for contracts that are not there yet; this one is.
      args: [hashMessage(message), parseErc6492Signature(signature).signature],
    })
  } catch {
    return undefined
  }
}
