import type { Eip1193Provider } from './Eip1193Provider.ts'

type Hex = `0x${string}`

const word = (value: bigint): string => value.toString(16).padStart(64, '0')

/** Call data of ERC-20 `transfer(to, amount)`. */
export const encodeTransfer = (to: Hex, amount: bigint): Hex => `0xa9059cbb${word(BigInt(to))}${word(amount)}`

/** Decodes such call data to show it to the user; undefined for any other data. */
export function decodeTransfer(data: string): { to: Hex; amount: bigint } | undefined {
  const match = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/i.exec(data)
  return match ? { to: `0x${match[1]!.toLowerCase()}`, amount: BigInt(`0x${match[2]}`) } : undefined
}

/** Token balance of an address in the smallest unit, on the wallet's current chain. */
export async function readTokenBalance(provider: Eip1193Provider, { token, owner }: { token: Hex; owner: Hex }): Promise<bigint> {
  const answer = await provider.request({
    method: 'eth_call',
    params: [{ to: token, data: `0x70a08231${word(BigInt(owner))}` }, 'latest'],
  })
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer)) throw new Error('The chain did not answer with a balance.')
  return BigInt(answer)
}

export const readChainId = async (provider: Eip1193Provider): Promise<number> =>
  Number(await provider.request({ method: 'eth_chainId' }))

interface TokenTransfer {
  chainId: number
  token: Hex
  from: Hex
  to: Hex
  amount: bigint
}

/**
 * Asks the wallet to transfer exactly this amount, and returns the transaction's hash.
 *
 * No await comes before the request, so that the tap's user activation is still valid: the caller has checked the chain a moment
 * before, and the wallet compares it with the chain id named here.
 */
export async function sendToken(provider: Eip1193Provider, { chainId, token, from, to, amount }: TokenTransfer): Promise<Hex> {
  const hash = await provider.request({
    method: 'eth_sendTransaction',
    params: [{ from, to: token, value: '0x0', data: encodeTransfer(to, amount), chainId: `0x${chainId.toString(16)}` }],
  })
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) throw new Error('The wallet did not answer with a hash.')
  return hash.toLowerCase() as Hex
}
