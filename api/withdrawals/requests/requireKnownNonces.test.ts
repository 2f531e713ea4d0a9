import { expect, test } from 'vitest'
import { parseEther } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { rejectWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { cancelWithdrawal } from '#shared/contract/withdrawals.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { acknowledgeTransfer } from '../payouts/decideTransfer.ts'
import { reconcilePayouts } from '../payouts/reconcilePayouts.ts'

/** Configures another key, as the README's section about keys describes it, and lets its worker look at the chain. */
async function changeKey({ chain, services, newWorker }: Payouts) {
  const privateKey = generatePrivateKey()
  const account = await createPayoutAccount({ privateKey, chainId: chain.chainId, token: chain.token })
  await chain.client.setBalance({ address: account.address, value: parseEther('1') })
  await chain.mint(account.address, parseEther('10000'))
  Object.assign(services.config, { PAYOUT_PRIVATE_KEY: privateKey })
  const worker = newWorker({ account })
  await worker.tick()
  return { account, worker }
}

test('withdrawals can be cancelled and rejected once the old wallet of a changed key is emptied and reconciled', async () => {
  const payouts = await startPayouts({ xcr: '10000' })
  const { services, server, orm, chain, key, confirmations } = payouts
  const endpoints = rewardEndpoints(services.config)
  const decision = { endpoints, actor: 'operator:test' }
  const earlier = await payouts.open()
  await payouts.tick()
  await payouts.confirm()
  const { account, worker } = await changeKey(payouts)

  const [holder, administrator] = [await makeBuyer(server), await openAdministrator(server)]
  const open = async () => {
    await giveXcr(orm, holder.user.id, '3000')
    return payouts.open({ userId: holder.user.id, reviewReason: 'above_limit' })
  }
  const [cancelled, rejected, paid] = [await open(), await open(), await payouts.open()]
  const cancel = () => holder.browser.call(cancelWithdrawal, { params: { id: cancelled.id } })
  const reject = () => administrator.browser.call(rejectWithdrawal, { params: { id: rejected.id }, body: { reason: 'No.' } })
  const expectRefused = async () => {
    await expect(cancel()).rejects.toMatchObject({ status: 409, code: 'payouts_stopped' })
    await expect(reject()).rejects.toMatchObject({ status: 409, message: expect.stringContaining('reconcile-payouts') })
  }

  const treasury = makeAccount().address
  const xcr = await chain.transfer({ from: key, to: treasury, amount: await chain.balanceOf(key.address) })
  await chain.client.sendTransaction({ account: key, to: treasury, value: parseEther('900') })
  await chain.mine(confirmations)
  await expectRefused()
  await acknowledgeTransfer(services, { ...decision, hash: xcr, reason: 'Emptied by hand.', email: undefined })
  await expectRefused()
  // In the order of the wallets' random addresses.
  const lines = await reconcilePayouts(services, { ...decision, wallet: account.address })
  expect(lines.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'The next nonce was 1 and is 3. Payouts resume.',
    expect.stringContaining(`The wallet ${account.address} is not stopped`),
  ])

  expect(await cancel()).toMatchObject({ status: 'failed' })
  expect(await reject()).toMatchObject({ withdrawal: { status: 'failed' } })
  for (let look = 0; look < 2; look += 1) {
    await worker.tick()
    await chain.mine(confirmations)
  }
  await worker.tick()
  for (const { id } of [earlier, paid]) expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.audit()).toEqual([])
})
