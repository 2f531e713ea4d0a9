import { type Hex, numberToHex } from 'viem'
import type { FaultyRpc } from '#api/testing/faultyRpc.ts'
import type { Payouts } from '#api/testing/payouts.ts'

/**
 * How an endpoint of the reward chain behaves.
 *
 * - away: it does not answer
 * - behind: its newest block stays the one of that moment
 * - forgetful: it has no receipts
 * - lying: it shows every transaction as failed. Only the first endpoint lies, and only if there is another one
 * - swallowing: it accepts transactions and does not pass them on
 * - mute: it passes transactions on and does not answer
 */
export const endpointFaults = ['away', 'behind', 'forgetful', 'lying', 'swallowing', 'mute'] as const
export type EndpointFault = (typeof endpointFaults)[number]

/** The endpoints through which the product reaches the reward chain. */
export class RewardEndpoints {
  readonly #chain: Payouts['chain']
  readonly #endpoints: { rpc: FaultyRpc; isFaulty: boolean }[]

  constructor(chain: Payouts['chain'], endpoints: readonly FaultyRpc[]) {
    this.#chain = chain
    this.#endpoints = endpoints.map((rpc) => ({ rpc, isFaulty: false }))
  }

  get isAnyFaulty(): boolean {
    return this.#endpoints.some(({ isFaulty }) => isFaulty)
  }

  async break(index: number, fault: EndpointFault): Promise<void> {
    if (fault === 'lying' && this.#endpoints.length === 1) return
    const endpoint = this.#endpoints[fault === 'lying' ? 0 : index % this.#endpoints.length]!
    const head = numberToHex(await this.#chain.client.getBlockNumber())
    endpoint.isFaulty = true
    endpoint.rpc.fail(async ({ method, params }) => {
      const isSending = method === 'eth_sendRawTransaction'
      switch (fault) {
        case 'away':
          return 'drop'
        case 'behind': {
          const latest = params.indexOf('latest')
          return latest < 0 ? undefined : { send: { params: params.with(latest, head) } }
        }
        case 'forgetful':
          return method === 'eth_getTransactionReceipt' ? { rewrite: () => null } : undefined
        case 'lying':
          return method === 'eth_getTransactionReceipt'
            ? { rewrite: (receipt: object | null) => receipt && { ...receipt, status: '0x0', logs: [] } }
            : undefined
        case 'swallowing':
          return isSending ? { send: { method: 'eth_chainId', params: [] } } : undefined
        case 'mute':
          if (!isSending) return undefined
          await this.#chain.client.sendRawTransaction({ serializedTransaction: params[0] as Hex }).catch(() => {})
          return 'drop'
      }
    })
  }

  breakAll = () => Promise.all(this.#endpoints.map((_, index) => this.break(index, 'away')))

  heal(): void {
    for (const endpoint of this.#endpoints) {
      endpoint.rpc.heal()
      endpoint.isFaulty = false
    }
  }
}
