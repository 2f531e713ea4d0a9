import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { query } from '#api/entities/tables.ts'
import { createHoldingsReader, hasFewCoins, hasFewTokens, readDue } from './readHoldings.ts'

/** Records since when the payout wallet has too little XCR or too few coins, and tells the open pages of the back office. */
export const watchHoldings: Sweep<'clock' | 'config' | 'orm'> = {
  name: 'watch-payout-wallet',
  everySeconds: 60,
  async run({ clock, config, orm }) {
    const { address } = await createPayoutAccount({
      privateKey: config.PAYOUT_PRIVATE_KEY,
      chainId: REWARD_CHAIN_ID,
      token: config.XCR_TOKEN_ADDRESS,
    })
    // The health tab shows endpoints that do not answer. Until one does, the last finding stays.
    const holdings = await createHoldingsReader({ config })(address).catch(() => undefined)
    if (!holdings) return
    await orm.em.fork().transactional(async (em) => {
      const due = await readDue(em)
      const isLow = hasFewTokens(holdings, due.amount) || hasFewCoins(holdings)
      const record = (lowSince: Date | null) => query(em).updateTable('payout_wallets').set({ lowSince }).returning('address')
      const changed = [
        ...(await record(isLow ? clock.now() : null)
          .where('address', '=', address)
          .where('lowSince', isLow ? 'is' : 'is not', null)
          .execute()),
        // A wallet whose key is no longer configured needs no top-up.
        ...(await record(null).where('address', '<>', address).where('lowSince', 'is not', null).execute()),
      ]
      if (changed.length > 0) await recordChange(em, { keys: [getWaiting.path] })
    })
  },
}
