import type { EntityManager } from '@mikro-orm/postgresql'
import { expect, test } from 'vitest'
import * as contract from '#shared/contract/otp.ts'
import { DAY, MINUTE } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { RecoveryCode } from '#api/entities/RecoveryCode.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { User } from '#api/entities/User.ts'
import { useDatabase } from '#api/testing/database.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Buyer, logIn, makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser } from '#api/testing/server.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { codeOf } from '#api/testing/codeOf.ts'
import { replaceRecoveryCodes } from './replaceRecoveryCodes.ts'

const database = useDatabase()

const verify = (browser: TestBrowser, token: string) => browser.call(contract.verifyOtp, { body: { token } })
const statusOf = (buyer: Buyer) => buyer.browser.call(contract.otpStatus, {})
const marksOf = (buyer: Buyer) => database.orm.em.fork().count(StepUpMark, { user: buyer.user.id, consumedAt: null })

/** A well-formed code of no account. */
const WRONG = 'AAAAA-AAAAA'

async function generateCodes(buyer: Buyer): Promise<string[]> {
  await buyer.grantMark()
  return (await buyer.browser.call(contract.renewRecoveryCodes, {})).codes
}

test('ten are generated, shown once, and stored only as keyed hashes', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)

  const codes = await generateCodes(buyer)

  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{5}-[A-HJ-NP-Z2-9]{5}$/)
  expect(await statusOf(buyer)).toEqual({ otpEnabled: true, recoveryCodesLeft: 10 })
  const stored = await database.orm.em.fork().find(RecoveryCode, { user: buyer.user.id })
  expect(stored).toHaveLength(10)
  for (const code of codes) expect(JSON.stringify(stored)).not.toContain(code)
})

test('one replaces a code in any notation; it is then invalid, and the owner is notified', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const [code = ''] = await generateCodes(buyer)

  await verify(buyer.browser, ` ${code.toLowerCase().replace('-', '')} `)

  expect(await marksOf(buyer)).toBe(1)
  expect(await statusOf(buyer)).toEqual({ otpEnabled: true, recoveryCodesLeft: 9 })
  await expect(verify(buyer.browser, code)).rejects.toMatchObject({
    status: 400,
    code: 'otp_invalid',
    serverMessage: 'Invalid OTP code. Please try again.',
  })
  const [mail] = await mailsTo(database, buyer.user.email)
  expect(mail).toMatchObject({ subject: 'A recovery code was used' })
  expect(mail!.text).toContain('Codes left: 9')
  const audited = { actor: `user:${buyer.user.email}`, action: 'otp.recovery_code' }
  expect(await database.orm.em.fork().count(AuditEntry, audited)).toBe(1)
})

test('of many concurrent uses of one code, one succeeds', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const [code = ''] = await generateCodes(buyer)
  const browsers = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const browser = server.openBrowser()
      await logIn(server, browser, buyer.user)
      return browser
    }),
  )

  const answers = await Promise.allSettled(browsers.map((browser) => verify(browser, code)))

  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await marksOf(buyer)).toBe(1)
})

test('wrong ones count like wrong codes: concurrent guesses get five tries, then correct ones of both kinds are locked too', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const other = await makeBuyer(server)
  const [code = ''] = await generateCodes(buyer)

  const answers = await Promise.all(Array.from({ length: 12 }, () => verify(buyer.browser, WRONG).catch(codeOf)))

  expect(answers.filter((answer) => answer === 'otp_invalid')).toHaveLength(5)
  expect(answers.filter((answer) => answer === 'otp_locked')).toHaveLength(7)
  for (const token of [code, await buyer.code()]) {
    await expect(verify(buyer.browser, token)).rejects.toMatchObject({ status: 429, code: 'otp_locked' })
  }
  await verify(other.browser, await other.code())
  server.clock.advance(15 * MINUTE)
  await verify(buyer.browser, code)
  const user = await database.orm.em.fork().findOneOrFail(User, buyer.user.id)
  expect(user).toMatchObject({ otpFailures: 0, otpLocks: 0, otpLockedUntil: null })
})

test('a code of another account is refused', async () => {
  const server = await startServer(database)
  const [buyer, other] = [await makeBuyer(server), await makeBuyer(server)]
  const [code = ''] = await generateCodes(other)
  await generateCodes(buyer)

  await expect(verify(buyer.browser, code)).rejects.toMatchObject({ code: 'otp_invalid' })
})

test('new ones replace all earlier ones, require a code shown within ten minutes, and are notified to the owner', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const [earlier = ''] = await generateCodes(buyer)
  const renew = () => buyer.browser.call(contract.renewRecoveryCodes, {})

  await expect(renew()).rejects.toMatchObject({ status: 403, code: 'otp_required' })
  await buyer.grantMark()
  server.clock.advance(10 * MINUTE)
  await expect(renew()).rejects.toMatchObject({ status: 403, code: 'otp_required' })
  const [later = ''] = await generateCodes(buyer)

  await expect(verify(buyer.browser, earlier)).rejects.toMatchObject({ code: 'otp_invalid' })
  await verify(buyer.browser, later)
  const subjects = (await mailsTo(database, buyer.user.email)).map(({ subject }) => subject)
  expect(subjects.filter((subject) => subject === 'Your recovery codes were replaced')).toHaveLength(2)
})

test('concurrent generations wait for each other, and one set of ten remains', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const draw = (em: EntityManager) =>
    replaceRecoveryCodes(em, {
      userId: buyer.user.id,
      encryptionKey: server.services.config.ENCRYPTION_KEY,
      now: server.clock.now(),
    })
  const [drawn, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]

  const first = database.orm.em.fork().transactional(async (em) => {
    await draw(em)
    drawn.resolve()
    await waited.promise
  })
  await drawn.promise
  let isDone = false
  const second = database.orm.em
    .fork()
    .transactional(draw)
    .then(() => void (isDone = true))
  while (!isDone && (await countLockWaits(database)) === 0);
  waited.resolve()
  await Promise.all([first, second])

  expect(await statusOf(buyer)).toMatchObject({ recoveryCodesLeft: 10 })
})

test('without an authenticator none can be generated', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server, { otp: false })
  await buyer.grantMark()

  await expect(buyer.browser.call(contract.renewRecoveryCodes, {})).rejects.toMatchObject({
    status: 409,
    code: 'otp_not_enabled',
  })
})

test('one disables the authenticator and deletes the others, and withdrawals need a manual review for a day', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const [first = ''] = await generateCodes(buyer)

  await buyer.browser.call(contract.disableOtp, { body: { token: first } })

  expect(await statusOf(buyer)).toEqual({ otpEnabled: false, recoveryCodesLeft: 0 })
  expect(await database.orm.em.fork().count(RecoveryCode, { user: buyer.user.id })).toBe(0)
  const user = await database.orm.em.fork().findOneOrFail(User, buyer.user.id)
  expect(user.withdrawalsReviewedUntil).toEqual(new Date(server.clock.now().getTime() + DAY))
})
