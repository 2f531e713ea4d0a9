import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { createBatcher } from '#api/platform/db/createBatcher.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import type { Services } from '#api/platform/services.ts'

/** How long a reservation may rely on a balance that was read before it. */
export const KNOWN_BALANCE_LIFETIME = MINUTE

/** A balance is read again when it is this old, so that one that is wanted is never too old to be used. */
const REREAD_AFTER = 15 * SECOND

/** How long the balance of a wallet is kept up to date after its owner has loaded the purchase page. */
const WANTED_FOR = 15 * MINUTE

const BATCH_SIZE = 500

/** In the minutes before a sale many pages are loaded each second. */
const COLLECT_FOR = SECOND / 4

type BalanceServices = Pick<Services, 'clock' | 'orm' | 'paymentChain'>

/** Keeps the balances of wallets whose owners may press Purchase soon, so that the press itself does not wait for the chain. */
export const readWantedBalances: Sweep<'clock' | 'orm' | 'paymentChain'> = {
  name: 'read-wanted-balances',
  everySeconds: 20,
  async run(services) {
    const now = services.clock.now().getTime()
    const rows = await query(services.orm.em.fork())
      .selectFrom('wallet_balances')
      .select('wallet')
      .where('wantedAt', '>', new Date(now - WANTED_FOR))
      .where((eb) => eb.or([eb('readAt', 'is', null), eb('readAt', '<', new Date(now - REREAD_AFTER))]))
      .execute()
    await readAndStore(
      services,
      rows.map(({ wallet }) => wallet),
    )
  },
}

/** Returns a function that reads the balance of an account's wallet soon. Concurrent calls share the statements and the call to the chain. */
export function createWantBalance(services: BalanceServices): (userId: string) => Promise<void> {
  return createBatcher<string, void>({
    maxSize: 200,
    delay: COLLECT_FOR,
    async run(userIds) {
      const now = services.clock.now()
      const rows = await markWanted(services.orm.em.fork(), userIds, now)
      const due = rows.filter(({ readAt }) => !readAt || readAt.getTime() < now.getTime() - REREAD_AFTER)
      await readAndStore(
        services,
        due.map(({ wallet }) => wallet),
      )
      return userIds.map(() => undefined)
    },
  })
}

/** In the order of the wallets, so that two processes cannot deadlock. */
const markWanted = (em: EntityManager, userIds: readonly string[], now: Date) =>
  query(em)
    .insertInto('wallet_balances')
    .columns(['wallet', 'wantedAt'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select(({ ref, val }) => [
          ref('walletAddress').$notNull().as('wallet'),
          sql<Date>`${val(now)}::timestamptz`.as('wantedAt'),
        ])
        .where('id', '=', sql<string>`any(${[...new Set(userIds)]}::uuid[])`)
        .where('walletAddress', 'is not', null)
        .orderBy('walletAddress'),
    )
    .onConflict((conflict) => conflict.column('wallet').doUpdateSet({ wantedAt: now }))
    .returning(['wallet', 'readAt'])
    .execute()

/** A wallet whose balance cannot be read keeps what is known. */
async function readAndStore({ clock, orm, paymentChain }: BalanceServices, wallets: readonly Address[]): Promise<void> {
  const readAt = clock.now()
  const balances = await Promise.all(wallets.map((wallet) => paymentChain.usdtBalanceOf(wallet).catch(() => undefined)))
  const rows = wallets
    .flatMap((wallet, index) => {
      const balance = balances[index]
      return balance === undefined ? [] : [{ wallet, balance, readAt, wantedAt: readAt }]
    })
    .toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1))
  for (let first = 0; first < rows.length; first += BATCH_SIZE) {
    await query(orm.em.fork())
      .insertInto('wallet_balances')
      .values(rows.slice(first, first + BATCH_SIZE))
      .onConflict((conflict) =>
        conflict
          .column('wallet')
          .doUpdateSet(({ ref }) => ({ balance: ref('excluded.balance'), readAt: ref('excluded.readAt') }))
          // Another process has read it later, or it was forgotten meanwhile.
          .where((eb) =>
            eb.or([eb('wallet_balances.readAt', 'is', null), eb('wallet_balances.readAt', '<', eb.ref('excluded.readAt'))]),
          ),
      )
      .execute()
  }
}

/** The owner has probably just paid, so the next reservation reads the balance itself. A read that is under way is not stored. */
export const forgetBalance = (em: EntityManager, { userId, now }: { userId: string; now: Date }) =>
  query(em)
    .updateTable('wallet_balances')
    .set({ balance: null, readAt: now })
    .where('wallet', '=', (eb) => eb.selectFrom('users').select('walletAddress').where('id', '=', userId))
    .execute()
