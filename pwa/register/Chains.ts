import type { Rpc } from './Rpc.ts'
import { Unavailable } from './Report.ts'

/** The nodes of chains by which the person reads them. */
export class Chains {
  readonly #rpcs = new Map<number, Rpc[]>()
  readonly #sellers = new Set<number>()

  /** @param isSellers the site names the node, and nobody else vouches for it. */
  add(chain: number, rpc: Rpc, { isSellers = false } = {}): void {
    if (isSellers && this.#rpcs.has(chain)) return
    this.#rpcs.set(chain, [...(this.#rpcs.get(chain) ?? []), rpc])
    if (isSellers) this.#sellers.add(chain)
  }

  /** @throws {Unavailable} */
  of(chain: number): readonly Rpc[] {
    const rpcs = this.#rpcs.get(chain)
    if (!rpcs) throw new Unavailable(`no connection to chain ${chain}`)
    return rpcs
  }

  /** Nodes that are not the seller's. @throws {Unavailable} */
  independent(chain: number): readonly Rpc[] {
    if (this.#sellers.has(chain)) throw new Unavailable(`no connection of your own to chain ${chain}`)
    return this.of(chain)
  }

  isSellers(chain: number): boolean {
    return this.#sellers.has(chain)
  }
}
