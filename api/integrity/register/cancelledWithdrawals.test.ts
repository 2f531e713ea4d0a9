import { expect, test } from 'vitest'
import { cancelWithdrawal, listWithdrawals } from '#shared/contract/withdrawals.ts'
import { buy, knowledgeOf, withdraw } from '#api/testing/registerHolders.ts'
import { startRegister } from '#api/testing/registerWorld.ts'
import { isKind, lineOf, readServedLog, serveLog } from '#api/testing/servedLog.ts'
import { verify } from './verify.mjs'

test('withdrawals cancelled before and after their publication are published as refunded, which keeps their receipts', async () => {
  const world = await startRegister({ supply: 600 })
  const { orm, config } = world.server.services
  await world.publish()
  const holder = await world.openBuyer({ usdt: '3000' })
  world.server.clock.set(new Date())
  const transfers = [await buy(world, holder, 400)]
  await world.payDay()
  await world.payDay()
  const cancel = async () => {
    const [newest] = await holder.browser.call(listWithdrawals, {})
    await holder.browser.call(cancelWithdrawal, { params: { id: newest!.id } })
  }

  const messages = [await withdraw(world, holder, '3000')]
  await world.publish()
  await cancel()
  messages.push(await withdraw(world, holder, '3001'))
  await cancel()
  const day = await world.payDay()
  await world.publish()

  const truth = await readServedLog(orm, config.register!.signingKey)
  const states = truth.entries.flatMap((entry) => (isKind(entry, 'payout') ? lineOf(entry, 'state') : []))
  expect(states).toEqual(['accepted', 'refunded', 'refunded'])
  const report = await verify('account', {
    site: await serveLog(truth),
    rpcs: [world.chain.url],
    rewardRpcs: [world.rewards.url],
    account: { ...(await knowledgeOf(world, holder, day)), transfers, messages },
  })
  expect(report.named('failed')).toEqual([])
  expect(report.named('ok')).toEqual(expect.arrayContaining(['payouts', 'receipts', 'balance']))
})
