import { expect, test } from 'vitest'
import { DAY } from '#shared/dates.ts'
import { freezeAccount } from '#api/accounts/freezes/freezeAccount.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { User } from '#api/entities/User.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { holdersOf } from '#api/testing/holders.ts'
import { logIn } from '#api/testing/people.ts'
import { startSale } from '#api/testing/sale.ts'

test('purchases of a frozen account are reserved, paid and matched, and its nodes earn', async () => {
  const sale = await startSale()
  const { server, database } = sale
  const { orm, clock } = server.services
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 1)
  await orm.em.fork().transactional((em) => freezeAccount(em, server.services, { userId: buyer.user.id, now: clock.now() }))
  await sale.pay(buyer.wallet, '3')
  await sale.confirm()

  const browser = server.openBrowser()
  const em = orm.em.fork()
  const sessionKey = await logIn(server, browser, await em.findOneOrFail(User, buyer.user.id))
  const grantMark = async () => {
    em.create(StepUpMark, { user: buyer.user.id, sessionKey, grantedAt: clock.now() })
    await em.flush()
  }
  const back = { ...buyer, browser, sessionKey, grantMark }
  await sale.reserve(back, 2)
  await sale.pay(buyer.wallet, '6')
  await sale.confirm()
  expect(await sale.nodeNumbers()).toEqual([1, 2, 3])

  server.clock.advance(2 * DAY)
  await holdersOf({ database, clock: server.clock }).pay()
  const { frozen, balance } = await browser.call(getAuthUser, {})
  expect(frozen).toEqual({ thawsAt: null })
  expect(balance.totalEarnedXcr).toBeGreaterThan(0n)
})
