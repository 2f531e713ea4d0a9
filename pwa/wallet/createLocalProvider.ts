import { createWalletClient, defineChain, type Hex, http, type LocalAccount } from 'viem'
import type { Eip1193Provider } from './Eip1193Provider.ts'
import { ALREADY_PENDING, REJECTED, UNKNOWN_CHAIN } from './walletErrors.ts'

/** A request that needs the user's approval. */
export type WalletRequest =
  | { type: 'connect' }
  | { type: 'addChain'; chainId: number; name: string; rpcUrl: string }
  | { type: 'sign'; message: string }
  | { type: 'send'; chainId: number; to: Hex; value: bigint; data: Hex }

interface LocalProviderOptions {
  account: LocalAccount
  /** The known chains by id, each with an RPC URL. */
  chains: Record<number, string>
  /** The initial chain; it need not be reachable. */
  chainId: number
  isConnected?: boolean
  /** The user's answer: false rejects with 4001. */
  approve: (request: WalletRequest) => Promise<boolean> | boolean
  /** Called after every change of state, to persist it. */
  onStateChange?: (state: LocalProviderState) => void
}

export interface LocalProviderState {
  chains: Record<number, string>
  chainId: number
  isConnected: boolean
}

export interface LocalProvider extends Eip1193Provider {
  readonly state: Readonly<LocalProviderState>
  /** Simulates choosing another account in the wallet. */
  setAccount(account: LocalAccount): void
  /** Simulates revoking the site's permission or locking the wallet. */
  lock(): void
}

/** A provider error with its code. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const UNAUTHORIZED = 4100
const UNSUPPORTED = -32601
const INTERNAL = -32603

/** Methods that need the user's approval. */
const APPROVAL_METHODS = new Set(['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction'])

/** A wallet with its own key: EIP-1193 around a local account. Used by the demo wallet in the page and by browser tests from Node. */
export function createLocalProvider(options: LocalProviderOptions): LocalProvider {
  const { approve, onStateChange } = options
  let { account } = options
  let state: LocalProviderState = {
    chains: { ...options.chains },
    chainId: options.chainId,
    isConnected: options.isConnected ?? false,
  }
  let isAsking = false
  const listeners = new Map<string, Set<(data: never) => void>>()

  const emit = (event: string, data: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(data as never)
  }
  const accounts = () => (state.isConnected ? [account.address] : [])

  function change(next: Partial<LocalProviderState>): void {
    const before = state
    state = { ...state, ...next }
    onStateChange?.(state)
    if (before.isConnected !== state.isConnected) emit('accountsChanged', accounts())
    if (before.chainId !== state.chainId) emit('chainChanged', toHex(state.chainId))
  }

  async function ask(request: WalletRequest): Promise<void> {
    if (isAsking) throw new ProviderError(ALREADY_PENDING, 'A request is already pending. Please answer it first.')
    isAsking = true
    try {
      if (!(await approve(request))) throw new ProviderError(REJECTED, 'User rejected the request.')
    } finally {
      isAsking = false
    }
  }

  async function rpc(method: string, params: unknown): Promise<unknown> {
    const url = state.chains[state.chainId]
    if (!url) throw new ProviderError(INTERNAL, `This wallet cannot reach chain ${state.chainId}.`)
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? [] }),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
    if (error) throw new ProviderError(error.code, error.message)
    return result
  }

  async function send({ to, data, value, gas, chainId }: Record<'to' | 'data' | 'value' | 'gas' | 'chainId', Hex | undefined>) {
    if (chainId && Number(chainId) !== state.chainId) throw new ProviderError(INTERNAL, 'The wallet is on another chain.')
    const url = state.chains[state.chainId]
    if (!url || !to) throw new ProviderError(INTERNAL, `This wallet cannot reach chain ${state.chainId}.`)
    await ask({ type: 'send', chainId: state.chainId, to, value: BigInt(value ?? 0), data: data ?? '0x' })
    const chain = defineChain({
      id: state.chainId,
      name: 'Chain',
      nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    })
    try {
      return await createWalletClient({ account, chain, transport: http(url) }).sendTransaction({
        to,
        ...(data && { data }),
        ...(value && { value: BigInt(value) }),
        ...(gas && { gas: BigInt(gas) }),
      })
    } catch (error) {
      const { details, shortMessage } = error as { details?: string; shortMessage?: string }
      throw new ProviderError(INTERNAL, [shortMessage, details].filter(Boolean).join(' ') || 'The transaction failed.')
    }
  }

  async function handle(method: string, params: readonly unknown[]): Promise<unknown> {
    if (APPROVAL_METHODS.has(method) && !state.isConnected) throw new ProviderError(UNAUTHORIZED, 'Connect the wallet first.')
    switch (method) {
      case 'eth_requestAccounts':
      case 'wallet_requestPermissions':
        if (!state.isConnected) await ask({ type: 'connect' })
        change({ isConnected: true })
        if (method === 'eth_requestAccounts') return accounts()
        return [{ parentCapability: 'eth_accounts', caveats: [{ type: 'restrictReturnedAccounts', value: accounts() }] }]
      case 'eth_accounts':
        return accounts()
      case 'wallet_revokePermissions':
        change({ isConnected: false })
        return null
      case 'eth_chainId':
        return toHex(state.chainId)
      case 'net_version':
        return String(state.chainId)
      case 'wallet_switchEthereumChain': {
        const { chainId } = params[0] as { chainId: Hex }
        if (!state.chains[Number(chainId)]) {
          throw new ProviderError(
            UNKNOWN_CHAIN,
            `Unrecognized chain ID "${chainId}". Try adding the chain using wallet_addEthereumChain first.`,
          )
        }
        change({ chainId: Number(chainId) })
        return null
      }
      case 'wallet_addEthereumChain': {
        const { chainId: hexId, chainName, rpcUrls } = params[0] as { chainId: Hex; chainName: string; rpcUrls: string[] }
        const chainId = Number(hexId)
        const rpcUrl = state.chains[chainId] ?? rpcUrls[0] ?? ''
        if (!state.chains[chainId]) await ask({ type: 'addChain', chainId, name: chainName, rpcUrl })
        change({ chains: { ...state.chains, [chainId]: rpcUrl }, chainId })
        return null
      }
      case 'wallet_watchAsset':
        return true
      case 'personal_sign': {
        const raw = params[0] as Hex
        await ask({ type: 'sign', message: readText(raw) })
        return account.signMessage({ message: { raw } })
      }
      case 'eth_sendTransaction':
        return send(params[0] as Parameters<typeof send>[0])
      default:
        if (method.startsWith('wallet_')) throw new ProviderError(UNSUPPORTED, `${method} is not supported.`)
        return rpc(method, params)
    }
  }

  return {
    request: ({ method, params }) => handle(method, Array.isArray(params) ? params : []),
    on(event, listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
    },
    removeListener(event, listener) {
      listeners.get(event)?.delete(listener)
    },
    get state() {
      return state
    },
    setAccount(next) {
      account = next
      if (state.isConnected) emit('accountsChanged', accounts())
    },
    lock: () => change({ isConnected: false }),
  }
}

const toHex = (value: number): Hex => `0x${value.toString(16)}`

function readText(raw: Hex): string {
  const bytes =
    raw
      .slice(2)
      .match(/../g)
      ?.map((byte) => Number.parseInt(byte, 16)) ?? []
  return new TextDecoder().decode(new Uint8Array(bytes))
}
