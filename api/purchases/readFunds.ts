import type { Services } from '../services.ts'
import { createBatcher } from '../db/createBatcher.ts'
import { sql } from '../db/sql.ts'

/** What an account's registered wallet holds, in the smallest unit of USDT. Undefined without a wallet, or if the chain does not answer. */
export type ReadFunds = (userId: string) => Promise<bigint | undefined>

/** Those who ask at the same moment share one query and one call to the chain. */
export function createReadFunds({ orm, paymentChain }: Pick<Services, 'orm' | 'paymentChain'>): ReadFunds {
  return createBatcher<string, bigint | undefined>({
    maxSize: 200,
    async run(userIds) {
      const rows = await sql<{ id: string; wallet_address: `0x${string}` }>(
        orm.em.fork(),
        'select id, wallet_address from users where id = any($1) and wallet_address is not null',
        [userIds],
      )
      const wallets = new Map(rows.map((row) => [row.id, row.wallet_address]))
      return Promise.all(
        userIds.map(async (id) => {
          const wallet = wallets.get(id)
          return wallet && paymentChain.usdtBalanceOf(wallet).catch(() => undefined)
        }),
      )
    },
  })
}
