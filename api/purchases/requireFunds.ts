import type { EntityManager } from '@mikro-orm/postgresql'
import { createBatcher } from '../db/createBatcher.ts'
import { sql } from '../db/sql.ts'
import { nodePriceOf, readSettings } from '../settings/readSettings.ts'
import type { Services } from '../services.ts'
import { insufficientUsdt } from './errors.ts'

interface FundsRequest {
  userId: string
  quantity: number
}

export type RequireFunds = (request: FundsRequest) => Promise<void>

/**
 * Looks whether the registered wallet holds enough USDT for a reservation, so that nobody holds nodes they cannot pay (money.md 11).
 *
 * A chain that does not answer is no reason to refuse. No wallet is: the reservation itself says so.
 */
export function createRequireFunds({ orm, paymentChain }: Pick<Services, 'orm' | 'paymentChain'>): RequireFunds {
  return createBatcher<FundsRequest, void>({
    maxSize: 200,
    async run(requests) {
      const [wallets, settings] = await Promise.all([
        readWallets(
          orm.em.fork(),
          requests.map(({ userId }) => userId),
        ),
        readSettings(orm.em.fork()),
      ])
      const price = nodePriceOf(settings)
      return Promise.all(
        requests.map(async ({ userId, quantity }) => {
          const wallet = wallets.get(userId)
          const balance = wallet && (await paymentChain.usdtBalanceOf(wallet).catch(() => undefined))
          const needed = price * BigInt(quantity)
          return balance !== undefined && balance < needed ? insufficientUsdt(needed, balance) : undefined
        }),
      )
    },
  })
}

async function readWallets(em: EntityManager, userIds: readonly string[]): Promise<Map<string, `0x${string}`>> {
  const rows = await sql<{ id: string; wallet_address: `0x${string}` }>(
    em,
    'select id, wallet_address from users where id = any($1) and wallet_address is not null',
    [userIds],
  )
  return new Map(rows.map((row) => [row.id, row.wallet_address]))
}
