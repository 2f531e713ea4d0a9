import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { utcDay } from '#shared/dates.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { query } from '#api/entities/tables.ts'
import { createReadingReader } from './readHoldings.ts'

/** Records once a day what the payout wallet has on the chain, so that a month of the books can show it. */
export const recordReading: Sweep<'clock' | 'config' | 'orm'> = {
  name: 'record-payout-wallet',
  everySeconds: 60,
  async run({ clock, config, orm }) {
    const { address: wallet } = await createPayoutAccount({
      privateKey: config.PAYOUT_PRIVATE_KEY,
      chainId: REWARD_CHAIN_ID,
      token: config.XCR_TOKEN_ADDRESS,
    })
    const db = query(orm.em.fork())
    const at = clock.now()
    const day = utcDay(at)
    const known = await db
      .selectFrom('payout_wallet_readings')
      .select('at')
      .where('wallet', '=', wallet)
      .where('day', '=', day)
      .executeTakeFirst()
    if (known) return
    // The health tab shows endpoints that do not answer. The next run tries again, and the reading has the time at which it is made.
    const reading = await createReadingReader({ config })(wallet).catch(() => undefined)
    if (!reading) return
    await db
      .insertInto('payout_wallet_readings')
      .values({ wallet, day, at, ...reading })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },
}
