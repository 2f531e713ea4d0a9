import type { EntityManager } from '@mikro-orm/postgresql'
import { createBatcher } from '../db/createBatcher.ts'
import { sql } from '../db/sql.ts'
import { nodePriceOf, readSettings } from '../settings/readSettings.ts'
import type { Services } from '../services.ts'
import { insufficientUsdt } from './errors.ts'

export type RequireFunds = (request: { userId: string; quantity: number }) => Promise<void>

/**
 * Looks whether the registered wallet holds enough USDT for a reservation, so that nobody holds nodes they cannot pay (money.md 11).
 *
 * A chain that does not answer is no reason to refuse. No wallet is: the reservation itself says so.
 */
export function createRequireFunds({ orm, paymentChain }: Pick<Services, 'orm' | 'paymentChain'>): RequireFunds {
  const readBuyer = createBatcher<string, { wallet: `0x${string}` | null; price: bigint }>({
    maxSize: 200,
    async run(userIds) {
      const em: EntityManager = orm.em.fork()
      const [rows, settings] = await Promise.all([
        sql<{ id: string; wallet_address: `0x${string}` | null }>(em, 'select id, wallet_address from users where id = any($1)', [
          userIds,
        ]),
        readSettings(em),
      ])
      const wallets = new Map(rows.map((row) => [row.id, row.wallet_address]))
      const price = nodePriceOf(settings)
      return userIds.map((id) => ({ wallet: wallets.get(id) ?? null, price }))
    },
  })

  return async ({ userId, quantity }) => {
    const { wallet, price } = await readBuyer(userId)
    if (!wallet) return
    const balance = await paymentChain.usdtBalanceOf(wallet).catch(() => undefined)
    const needed = price * BigInt(quantity)
    if (balance !== undefined && balance < needed) throw insufficientUsdt(needed, balance)
  }
}
