import type { Address } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { createBatcher } from '#api/platform/db/createBatcher.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Services } from '#api/platform/services.ts'

/** What an account's registered wallet holds, in the smallest unit of USDT. */
export interface Funds {
  wallet: Address
  /** In the newest block; undefined if the chain does not answer. */
  latest: bigint | undefined
  /** In the last block whose deposits were read; only where the account or its wallet holds supply, and undefined if the chain does not answer. */
  atRead: { balance: bigint; blockTime: Date } | undefined
}

/** Undefined without a wallet. */
export type ReadFunds = (userId: string) => Promise<Funds | undefined>

interface WalletRow {
  id: string
  wallet: Address
  is_holding: boolean
  number: string | null
  time: string | null
}

/** Those who ask at the same moment share one query and one call to the chain, or two where some of them hold supply already. */
export function createReadFunds({ orm, paymentChain }: Pick<Services, 'orm' | 'paymentChain'>): ReadFunds {
  return createBatcher<string, Funds | undefined>({
    maxSize: 200,
    async run(userIds) {
      const rows = await sql<WalletRow>(
        orm.em.fork(),
        `select u.id, u.wallet_address as wallet, b.number, b.time, exists (
           select from purchases where (user_id = u.id or wallet = u.wallet_address) and status in ('reserved', 'pending') and held_quantity > 0
         ) as is_holding
         from users u left join (
           select number, time from chain_blocks where chain_id = $2 order by number desc limit 1
         ) b on true
         where u.id = any($1) and u.wallet_address is not null`,
        [userIds, PAYMENT_CHAIN_ID],
      )
      const [latest, atRead] = await Promise.all([
        Promise.all(rows.map(({ wallet }) => paymentChain.usdtBalanceOf(wallet).catch(() => undefined))),
        readAtCursor(rows.filter((row) => row.is_holding)),
      ])
      const funds = new Map(
        rows.map(({ id, wallet }, index): [string, Funds] => [id, { wallet, latest: latest[index], atRead: atRead.get(wallet) }]),
      )
      return userIds.map((id) => funds.get(id))
    },
  })

  async function readAtCursor(rows: readonly WalletRow[]): Promise<Map<Address, Funds['atRead']>> {
    const [cursor] = rows
    if (!cursor?.number || !cursor.time) return new Map()
    const blockTime = new Date(cursor.time)
    const wallets = rows.map(({ wallet }) => wallet)
    const balances = await paymentChain.usdtBalancesAt(BigInt(cursor.number), wallets).catch(() => [])
    return new Map(balances.map((balance, index) => [wallets[index]!, { balance, blockTime }]))
  }
}
