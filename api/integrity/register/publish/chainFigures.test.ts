import { expect, test } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { startPayouts } from '#api/testing/payouts.ts'
import { readChainLimits } from './chainFigures.ts'

test('a payout whose nonce was used elsewhere holds the books back only until its wallet is explained', async () => {
  const payouts = await startPayouts()
  await payouts.open()
  await payouts.tick()
  const [{ attempts }] = (await payouts.payouts()) as [Awaited<ReturnType<typeof payouts.payouts>>[number]]
  await payouts.chain.client.dropTransaction({ hash: attempts[0]!.hash })
  await payouts.chain.client.sendTransaction({ account: payouts.key, to: makeAccount().address, value: 1n, nonce: 0 })
  await payouts.confirm()
  payouts.clock.advance(30 * SECOND)
  await payouts.tick()
  expect(await payouts.payouts()).toMatchObject([{ state: 'lost' }])
  const em = payouts.orm.em.fork()
  expect(await readChainLimits(em)).toMatchObject({ isWalletStopped: true, unsettledSince: expect.any(Date) })

  // As `reconcile-payouts` does once every transfer is explained.
  await sql(em, 'update payout_wallets set stopped_because = null, stopped_at = null')
  expect(await readChainLimits(em)).toMatchObject({ isWalletStopped: false, unsettledSince: null })
})
