import { expect, test } from 'vitest'
import { getAuthUser } from '#shared/contract/identity.ts'
import * as otp from '#shared/contract/otp.ts'
import { StepUpMark } from '../entities/StepUpMark.ts'
import { useDatabase } from '../testing/database.ts'
import { signUpBuyer } from '../testing/people.ts'
import { startServer } from '../testing/server.ts'

const database = useDatabase()

test('a newcomer signs up, enables the authenticator and proves a wallet, all over HTTP, and may then make one purchase', async () => {
  const server = await startServer(database)

  const { browser, user, wallet, sessionKey, code } = await signUpBuyer(server)

  expect(await browser.call(getAuthUser, {})).toMatchObject({ email: user.email, walletAddress: wallet.address.toLowerCase() })
  expect(await browser.call(otp.otpStatus, {})).toEqual({ otpEnabled: true, recoveryCodesLeft: 10 })
  const marks = { user: user.id, sessionKey, consumedAt: null }
  expect(await database.orm.em.fork().count(StepUpMark, marks)).toBe(1)
  await browser.call(otp.verifyOtp, { body: { token: await code() } })
  expect(await database.orm.em.fork().count(StepUpMark, marks)).toBe(2)
})
