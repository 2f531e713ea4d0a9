import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { createBatcher } from '#api/platform/db/createBatcher.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'

/** USDT balance of an account's registered wallet, in the smallest unit. */
export interface Funds {
  wallet: Address
  /** In the newest block; undefined if the chain does not answer. */
  latest: bigint | undefined
  /**
   * In the last block whose deposits were read. Only read if the account or its wallet holds supply; undefined if the chain does not
   * answer.
   */
  atRead: { balance: bigint; blockTime: Date } | undefined
}

/** Resolves to undefined if the account has no wallet. */
export type ReadFunds = (userId: string) => Promise<Funds | undefined>

/** Concurrent calls share one query and one call to the chain, or two if some of the accounts already hold supply. */
export function createReadFunds({ orm, paymentChain }: Pick<Services, 'orm' | 'paymentChain'>): ReadFunds {
  return createBatcher<string, Funds | undefined>({
    maxSize: 200,
    async run(userIds) {
      const rows = await readWallets(orm.em.fork(), userIds)
      const [latest, atRead] = await Promise.all([
        Promise.all(rows.map(({ wallet }) => paymentChain.usdtBalanceOf(wallet).catch(() => undefined))),
        readAtCursor(rows.filter(({ isHolding }) => isHolding)),
      ])
      const funds = new Map(
        rows.map(({ id, wallet }, index): [string, Funds] => [id, { wallet, latest: latest[index], atRead: atRead.get(wallet) }]),
      )
      return userIds.map((id) => funds.get(id))
    },
  })

  async function readAtCursor(rows: Awaited<ReturnType<typeof readWallets>>): Promise<Map<Address, Funds['atRead']>> {
    const [cursor] = rows
    if (!cursor || cursor.number === null || !cursor.time) return new Map()
    const blockTime = cursor.time
    const wallets = rows.map(({ wallet }) => wallet)
    const balances = await paymentChain.usdtBalancesAt(cursor.number, wallets).catch(() => [])
    return new Map(balances.map((balance, index) => [wallets[index]!, { balance, blockTime }]))
  }
}

/** The wallets of accounts, whether the account or its wallet holds supply, and the last block read. */
const readWallets = (em: EntityManager, userIds: readonly string[]) =>
  query(em)
    .selectFrom('users as u')
    .leftJoin(
      ({ selectFrom }) =>
        selectFrom('chain_blocks as c')
          .select(['c.number', 'c.time'])
          .where('c.chainId', '=', PAYMENT_CHAIN_ID)
          .orderBy('c.number', 'desc')
          .limit(1)
          .as('b'),
      (join) => join.onTrue(),
    )
    .select(({ ref, exists, selectFrom }) => [
      'u.id',
      ref('u.walletAddress').$notNull().as('wallet'),
      'b.number',
      'b.time',
      exists(
        selectFrom('purchases as p')
          .select('p.id')
          .where((eb) => eb.or([eb('p.user', '=', eb.ref('u.id')), eb('p.wallet', '=', eb.ref('u.walletAddress'))]))
          .where('p.status', 'in', ['reserved', 'pending'])
          .where('p.heldQuantity', '>', 0),
      ).as('isHolding'),
    ])
    .where('u.id', '=', sql<string>`any(${userIds}::uuid[])`)
    .where('u.walletAddress', 'is not', null)
    .execute()
