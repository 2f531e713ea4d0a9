import type { Address, PrivateKeyAccount } from 'viem'
import { describe, expect, test } from 'vitest'
import { approveWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { disableOtp, enableOtp, setupOtp } from '#shared/contract/otp.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { parseAmount } from '#shared/amount.ts'
import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { sql } from '#api/platform/db/sql.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { User } from '#api/entities/User.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount, usePaymentChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { mailsTo } from '#api/testing/mails.ts'
import type { Buyer } from '#api/testing/people.ts'
import { insertWithdrawal, startWithdrawals, type Withdrawals } from '#api/testing/withdrawals.ts'
import { generate } from 'otplib'
import { isAboveReviewLimit } from './isAboveReviewLimit.ts'
import { sumUndecided } from './sumUndecided.ts'

const database = useDatabase()
const payments = usePaymentChain()

const start = (env: Record<string, string> = {}) => startWithdrawals(database, { env: { BSC_RPC_URLS: payments.url, ...env } })

/** Withdrawals that `reasonOf` has seen, because ids do not show which one is newer. */
const seen = new Set<string>()

/** The review reason of the latest withdrawal; null if it needs no review. */
async function reasonOf(holder: Buyer): Promise<string | null | undefined> {
  const rows = await database.orm.em.fork().find(Withdrawal, { user: holder.user.id, id: { $nin: [...seen] } })
  for (const { id } of rows) seen.add(id)
  const row = rows.toSorted((a, b) => a.requestedAt.getTime() - b.requestedAt.getTime()).at(-1)
  expect(row!.status).toBe(row!.reviewReason ? 'manual_review' : 'pending')
  return row!.reviewReason
}

/** Connects a wallet as the client does, with a signed proof unless `proven` is false. */
async function connect({ server }: Withdrawals, holder: Buyer, wallet: PrivateKeyAccount | null, { proven = true } = {}) {
  server.clock.advance(MINUTE)
  if (!wallet) return void (await holder.browser.call(updateWallet, { body: { walletAddress: null } }))
  const walletAddress = wallet.address.toLowerCase() as Address
  const message = walletProofMessage({
    host: new URL(server.url).host,
    email: holder.user.email,
    address: walletAddress,
    timestamp: server.clock.now().toISOString(),
  })
  const proof = { message, signature: await wallet.signMessage({ message }) }
  await holder.browser.call(updateWallet, { body: { walletAddress, ...(proven && proof) } })
  holder.wallet = wallet
}

const openWith = (withdrawals: Withdrawals, wallet: PrivateKeyAccount | null) =>
  withdrawals.openHolder({
    xcr: '1000000',
    wallet,
    registeredAt: new Date(withdrawals.server.clock.now().getTime() - 100 * DAY),
  })

test('a withdrawal above the configured amount is debited and needs review; one of exactly that amount does not', async () => {
  const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
  const holder = await withdrawals.openHolder({ xcr: '100000' })

  await withdrawals.ask(holder, '20000')
  expect(await reasonOf(holder)).toBeNull()
  const answer = await withdrawals.ask(holder, '20000.00000001')
  expect(await reasonOf(holder)).toBe('above_limit')

  expect(answer).toMatchObject({ status: 'manual_review', amount: 20_000_000_000_010_000_000_000n })
  await expect(withdrawals.ask(holder, '60000')).rejects.toMatchObject({
    code: 'insufficient_xcr',
    details: { available: '59999.99999999' },
  })
  const [mail] = await mailsTo(database, holder.user.email)
  expect(mail!.text).toContain('will review it before payout')
})

test.each(['withdrawal.approve', 'withdrawal.mark_paid'] as const)(
  'an old request counts from the day on which one person has decided it: %s',
  async (action) => {
    const em = database.orm.em.fork()
    const now = new Date()
    const { id, user, amount } = await insertWithdrawal(database.orm, {
      reviewReason: 'foreign_contract',
      now: new Date(now.getTime() - 2 * DAY),
    })
    const sum = () => sumUndecided(em, { userId: user.id, now })
    expect(await sum()).toBe(0n)
    recordAudit(em, { actor: 'admin:keeper', action, target: `withdrawal:${id}`, after: {} })
    await em.flush()
    expect(await sum()).toBe(amount)
  },
)

test('a request counts until exactly 24 hours after it, and one that was on hold until 24 hours after its release', async () => {
  const em = database.orm.em.fork()
  const now = new Date()
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  const sum = async (given: Parameters<typeof insertWithdrawal>[1]) => {
    const { user } = await insertWithdrawal(database.orm, given)
    return sumUndecided(em, { userId: user.id, now })
  }
  expect(await sum({ now: ago(DAY) })).toBe(0n)
  expect(await sum({ now: ago(DAY - 1) })).toBe(parseAmount('3000'))
  expect(await sum({ now: ago(3 * DAY), heldUntil: ago(DAY) })).toBe(0n)
  expect(await sum({ now: ago(3 * DAY), heldUntil: ago(DAY - 1) })).toBe(parseAmount('3000'))
})

test('a withdrawal of exactly the limit, alone or with others of its account, is not above it', async () => {
  const { orm } = database
  const now = new Date()
  const { id, user } = await insertWithdrawal(orm, { amount: '15000', reviewReason: 'foreign_contract', now })
  const isAbove = (limit: string) =>
    orm.em.fork().transactional((em) => isAboveReviewLimit(em, { id, limit: parseAmount(limit)!, now }))
  expect(await isAbove('15000')).toBe(false)
  expect(await isAbove('14999.999999999999999999')).toBe(true)
  await giveXcr(orm, user.id, '5000')
  await insertWithdrawal(orm, { userId: user.id, amount: '5000', now })
  expect(await isAbove('20000')).toBe(false)
  expect(await isAbove('19999.999999999999999999')).toBe(true)
})

test('withdrawals that exceed the configured amount together within a day need review; approved and refunded ones do not count', async () => {
  const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
  const { server } = withdrawals
  const [holder, other] = [await withdrawals.openHolder({ xcr: '100000' }), await withdrawals.openHolder({ xcr: '100000' })]
  await withdrawals.ask(holder, '15000')
  await withdrawals.ask(holder, '5000')
  expect(await reasonOf(holder)).toBeNull()
  const { id } = await withdrawals.ask(holder, '3000')
  expect(await reasonOf(holder)).toBe('above_limit')
  const first = await withdrawals.ask(other, '20000')
  expect(await reasonOf(other), 'each account for itself').toBeNull()
  await sql(database.orm.em.fork(), `update withdrawals set status = 'failed', refunded_at = now() where id = $1`, [first.id])
  await withdrawals.ask(other, '20000')
  expect(await reasonOf(other), 'a refunded one').toBeNull()

  const { browser } = await openAdministrator(server)
  await browser.call(approveWithdrawal, { params: { id }, body: {} })
  const large = await withdrawals.openHolder({ xcr: '100000' })
  const approved = await withdrawals.ask(large, '21000')
  expect(await reasonOf(large)).toBe('above_limit')
  await browser.call(approveWithdrawal, { params: { id: approved.id }, body: {} })
  await withdrawals.ask(large, '20000')
  expect(await reasonOf(large), 'beside an approved one').toBeNull()

  server.clock.advance(DAY - HOUR)
  await withdrawals.ask(holder, '3000')
  expect(await reasonOf(holder)).toBe('above_limit')
  server.clock.advance(2 * HOUR)
  await withdrawals.ask(holder, '20000')
  expect(await reasonOf(holder)).toBeNull()
})

test('what one person has approved for another reason counts towards the configured amount, whenever it was requested', async () => {
  const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
  const { orm, clock } = withdrawals.server.services
  const { browser } = await openAdministrator(withdrawals.server)
  for (const age of [0, 3 * DAY]) {
    const holder = await withdrawals.openHolder({ xcr: '100000' })
    const given = { userId: holder.user.id, amount: '15000', now: new Date(clock.now().getTime() - age) }
    const { id } = await insertWithdrawal(orm, { ...given, reviewReason: 'foreign_contract' })
    await browser.call(approveWithdrawal, { params: { id }, body: {} })
    seen.add(id)
    await withdrawals.ask(holder, '5000')
    expect(await reasonOf(holder)).toBeNull()
    await withdrawals.ask(holder, '3000')
    expect(await reasonOf(holder)).toBe('above_limit')
  }
})

describe('a withdrawal', () => {
  test('needs review for a day after its wallet replaced a proven one', async () => {
    const withdrawals = await start()
    const holder = await openWith(withdrawals, makeAccount())
    await connect(withdrawals, holder, makeAccount())

    await withdrawals.ask(holder, '3000')
    expect(await reasonOf(holder)).toBe('recent_change')
    withdrawals.server.clock.advance(DAY - 1)
    await withdrawals.ask(holder, '3000')
    expect(await reasonOf(holder)).toBe('recent_change')
    withdrawals.server.clock.advance(1)
    await withdrawals.ask(holder, '3000')
    expect(await reasonOf(holder)).toBeNull()
  })

  test('needs review despite a disconnect, an unproven third wallet or a reconnect in between', async () => {
    const withdrawals = await start()
    const holder = await openWith(withdrawals, makeAccount())
    const other = makeAccount()
    await connect(withdrawals, holder, null)
    await connect(withdrawals, holder, makeAccount(), { proven: false })
    await connect(withdrawals, holder, other, { proven: false })
    await connect(withdrawals, holder, null)
    await connect(withdrawals, holder, other)

    await withdrawals.ask(holder, '3000')

    expect(await reasonOf(holder)).toBe('recent_change')
  })

  test('needs no review for a first wallet, a wallet that was locked and reconnected, or one that replaced an unproven wallet', async () => {
    const withdrawals = await start()
    const [first, back, after] = [
      await openWith(withdrawals, null),
      await openWith(withdrawals, makeAccount()),
      await openWith(withdrawals, null),
    ]
    await connect(withdrawals, first, makeAccount())
    const known = back.wallet
    await connect(withdrawals, back, null)
    await connect(withdrawals, back, makeAccount(), { proven: false })
    await connect(withdrawals, back, known)
    await connect(withdrawals, after, makeAccount(), { proven: false })
    await connect(withdrawals, after, makeAccount())

    for (const holder of [first, back, after]) {
      await withdrawals.ask(holder, '3000')
      expect(await reasonOf(holder)).toBeNull()
    }
  })

  test('is not affected by the wallet change of another account', async () => {
    const withdrawals = await start()
    const [holder, other] = [await openWith(withdrawals, makeAccount()), await openWith(withdrawals, makeAccount())]
    await connect(withdrawals, other, makeAccount())

    await withdrawals.ask(holder, '3000')

    expect(await reasonOf(holder)).toBeNull()
  })
})

test('withdrawals need review for a day after the authenticator was replaced', async () => {
  const withdrawals = await start()
  const { clock } = withdrawals.server
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await holder.browser.call(disableOtp, { body: { token: await holder.code() } })
  const disabledAt = clock.now()
  const { secret } = await holder.browser.call(setupOtp, { body: {} })
  const token = await generate({ secret, epoch: Math.floor(clock.now().getTime() / 1_000) })
  await holder.browser.call(enableOtp, { body: { secret, token } })

  await withdrawals.ask(holder, '3000')
  expect(await reasonOf(holder)).toBe('recent_change')
  clock.set(new Date(disabledAt.getTime() + DAY - 1))
  await withdrawals.ask(holder, '3000')
  expect(await reasonOf(holder)).toBe('recent_change')
  clock.set(new Date(disabledAt.getTime() + DAY))
  await withdrawals.ask(holder, '3000')
  expect(await reasonOf(holder)).toBeNull()
})

test('advancing the demo clock by a day does not end the review period', async () => {
  const withdrawals = await start()
  const { clock } = withdrawals.server
  const holder = await withdrawals.openHolder()
  await database.orm.em
    .fork()
    .nativeUpdate(User, { id: holder.user.id }, { withdrawalsReviewedUntil: new Date(clock.now().getTime() + HOUR) })
  clock.advanceProduct(3 * DAY)

  await withdrawals.ask(holder, '3000')

  expect(await reasonOf(holder)).toBe('recent_change')
})
