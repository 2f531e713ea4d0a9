import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import * as otp from '#shared/contract/otp.ts'
import { createReservation } from '#shared/contract/purchases.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { useDatabase } from '#api/testing/database.ts'
import { signUpBuyer } from '#api/testing/people.ts'
import { startSale } from '#api/testing/sale.ts'
import { startServer } from '#api/testing/server.ts'

const database = useDatabase()

test('a new user signs up, enables the authenticator, proves a wallet and may make one purchase, all over HTTP', async () => {
  const server = await startServer(database)

  const { browser, user, wallet, sessionKey, code } = await signUpBuyer(server)

  expect(await browser.call(getAuthUser, {})).toMatchObject({ email: user.email, walletAddress: wallet.address.toLowerCase() })
  expect(await browser.call(otp.otpStatus, {})).toEqual({ otpEnabled: true, recoveryCodesLeft: 10 })
  const marks = { user: user.id, sessionKey, consumedAt: null }
  expect(await database.orm.em.fork().count(StepUpMark, marks)).toBe(1)
  await browser.call(otp.verifyOtp, { body: { token: await code() } })
  expect(await database.orm.em.fork().count(StepUpMark, marks)).toBe(2)
})

test('the enabling code allows one reservation and not a second one', async () => {
  const sale = await startSale({ supply: 20 })
  const { browser, wallet } = await signUpBuyer(sale.server)
  await sale.chain.mintUsdt(wallet.address, parseAmount('100')!)

  const reservation = await browser.call(createReservation, { body: { requestedQuantity: 2 } })

  expect(reservation).toMatchObject({ requestedQuantity: 2 })
  await expect(browser.call(createReservation, { body: { requestedQuantity: 3 } })).rejects.toMatchObject({
    code: 'otp_required',
  })
})
