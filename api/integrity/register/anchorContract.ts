import type { Address, Hex } from 'viem'
import { isAnchorCode } from '#shared/register/anchorCode.ts'
import type { Fees } from '#api/platform/chain/readFees.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { prefixedKey } from '#api/platform/crypto/hexKeys.ts'

/** The functions of RegisterAnchor (format.md, "Anchor"). */
const selectors = { publisher: '8c72c54e', count: '06661abd', since: 'a570b829', anchor: 'a6855208' } as const
/** Anchors of one answer. */
const PAGE_SIZE = 1_000
/** New anchors at once. There are a few a day. */
const MAX_ANCHORS = 100_000

export interface Anchor {
  /** The number of entries. */
  size: number
  root: Buffer
  /** The time of its block. */
  time: Date
}

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0')
const quantity = (value: bigint): Hex => `0x${value.toString(16)}`

/** The call that anchors the root of the first `size` entries. */
export const anchorCall = (size: number, root: Uint8Array): Hex =>
  `0x${selectors.anchor}${word(size)}${Buffer.from(root).toString('hex')}`

/** One anchor contract, as one endpoint shows it. */
export class AnchorContract {
  readonly #endpoint: Pick<RpcEndpoint, 'request'>
  readonly #address: Address
  readonly #block: Hex | 'latest'

  constructor(endpoint: Pick<RpcEndpoint, 'request'>, { address, block }: { address: Address; block: bigint | 'latest' }) {
    this.#endpoint = endpoint
    this.#address = address
    this.#block = block === 'latest' ? block : quantity(block)
  }

  /** In lower case. Undefined where there is no such contract. */
  async publisher(): Promise<Address | undefined> {
    const bytes = await this.#call(selectors.publisher)
    return bytes.length === 32 ? `0x${bytes.subarray(12).toString('hex')}` : undefined
  }

  /** Whether there is a contract with the code that verifiers compare, whose publisher this is. */
  async hasCode(publisher: Address): Promise<boolean> {
    const code = await this.#endpoint.request<Hex>('eth_getCode', [this.#address, this.#block])
    return isAnchorCode(Buffer.from(code.slice(2), 'hex'), Buffer.from(publisher.slice(2), 'hex'))
  }

  /** Zero before the contract was deployed. */
  async count(): Promise<number> {
    const bytes = await this.#call(selectors.count)
    return bytes.length === 32 ? Number(bytes.readBigUInt64BE(24)) : 0
  }

  /** All anchors from an index on. */
  async since(first: number): Promise<Anchor[]> {
    const count = await this.count()
    if (count - first > MAX_ANCHORS) throw new Error('The endpoint counts more anchors than there can be.')
    const anchors: Anchor[] = []
    while (first + anchors.length < count) {
      const page = readAnchors(await this.#call(`${selectors.since}${word(first + anchors.length)}`))
      if (page.length === 0) throw new Error(`The anchor contract has fewer anchors than it counts.`)
      anchors.push(...page)
    }
    return anchors
  }

  async #call(data: string): Promise<Buffer> {
    const answer = await this.#endpoint.request<Hex>('eth_call', [{ to: this.#address, data: `0x${data}` }, this.#block])
    return Buffer.from(answer.slice(2), 'hex')
  }
}

/** Decodes the answer of `since`: an array of (size, time, root). */
function readAnchors(bytes: Buffer): Anchor[] {
  const numberAt = (index: number) => Number(bytes.readBigUInt64BE(index * 32 + 24))
  const count = bytes.length >= 64 ? numberAt(1) : -1
  if (count > PAGE_SIZE || bytes.length !== 64 + 96 * count) throw new Error('The anchor contract gave an unreadable answer.')
  return Array.from({ length: count }, (_, index) => ({
    size: numberAt(2 + 3 * index),
    time: new Date(numberAt(3 + 3 * index) * 1_000),
    root: bytes.subarray((4 + 3 * index) * 32, (5 + 3 * index) * 32),
  }))
}

/** What the operator is told about a contract that verifiers refuse, or that the configured key cannot write into. */
export const describeWrongContract = (address: Address): string =>
  `The anchor contract ${address} has another publisher than the wallet of ANCHOR_PRIVATE_KEY, or another code, or there is none at this address.`

/** The key that anchors. It is used for nothing else. */
export interface AnchorAccount {
  /** In lower case. */
  address: Address
  sign(transaction: Fees & { nonce: number; gas: bigint; to: Address; data: Hex }): Promise<{ hash: Hex; signedBytes: Hex }>
}

export async function createAnchorAccount({
  privateKey,
  chainId,
}: {
  privateKey: string
  chainId: number
}): Promise<AnchorAccount> {
  // Loaded lazily, because viem is as large as the rest of the server.
  const [{ privateKeyToAccount }, { keccak256 }] = await Promise.all([import('viem/accounts'), import('viem')])
  const account = privateKeyToAccount(prefixedKey(privateKey))
  return {
    address: account.address.toLowerCase() as Address,
    async sign(transaction) {
      const signedBytes = await account.signTransaction({ type: 'eip1559', chainId, value: 0n, ...transaction })
      return { signedBytes, hash: keccak256(signedBytes) }
    },
  }
}
