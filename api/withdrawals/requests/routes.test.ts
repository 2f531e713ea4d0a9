import type { Address, PrivateKeyAccount } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { disableOtp } from '#shared/contract/otp.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import * as contract from '#shared/contract/withdrawals.ts'
import { DAY, HOUR, MINUTE, utcDay } from '#shared/dates.ts'
import type { WithdrawalTerms } from '#shared/withdrawalMessage.ts'
import { sql } from '#api/platform/db/sql.ts'
import { ChangeEvent } from '#api/entities/ChangeEvent.ts'
import { LedgerEntry } from '#api/entities/LedgerEntry.ts'
import { User } from '#api/entities/User.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import { makeAccount, usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { damage } from '#api/testing/damage.ts'
import { useDatabase } from '#api/testing/database.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Buyer, logIn } from '#api/testing/people.ts'
import type { ServerOptions } from '#api/testing/server.ts'
import { findDifferences } from '#api/testing/findDifferences.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { insertWithdrawal, type SignedWithdrawal, startWithdrawals, type Withdrawals } from '#api/testing/withdrawals.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { stopWallet } from '../payoutWallets/stopWallet.ts'

const database = useDatabase()
const payments = usePaymentChain()
const rewards = useRewardChain()

const start = (options: ServerOptions = {}) =>
  startWithdrawals(database, {
    ...options,
    env: { BSC_RPC_URLS: payments.url, XCR_RPC_URLS: rewards.url, XCR_TOKEN_ADDRESS: rewards.token, ...options.env },
  })

const lower = (account: { address: Address }) => account.address.toLowerCase() as Address
const em = () => database.orm.em.fork()
const rowsOf = (holder: Buyer) => em().find(Withdrawal, { user: holder.user.id }, { orderBy: { id: 'asc' } })
const listed = (holder: Buyer) => holder.browser.call(contract.listWithdrawals, {})
const balanceOf = async (holder: Buyer) => formatAmount((await holder.browser.call(getAuthUser, {})).balance.availableXcr)
/** Applies to the rest of the test. */
const setFee = ({ server }: Withdrawals, value: string) => {
  server.clock.advance(1)
  onTestFinished(() =>
    database.superuser.em
      .fork()
      .transactional((em) => damage(em, `delete from setting_changes where key = 'withdrawal_fee_amount'`)),
  )
  return em().transactional((em) => changeSetting(em, { key: 'withdrawal_fee_amount', value, effectiveAt: server.clock.now() }))
}

/** Expects that a refused request changed nothing and left the code unused. */
async function expectUntouched(holder: Buyer, xcr = '10000'): Promise<void> {
  expect(await rowsOf(holder)).toEqual([])
  expect(await balanceOf(holder)).toBe(xcr)
  expect(await mailsTo(database, holder.user.email)).toEqual([])
}

describe('a withdrawal', () => {
  test('debits the gross amount, fixes the fee, and notifies the owner, the open pages and the list', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '10000' })
    const clock = withdrawals.server.clock
    clock.advanceProduct(40 * DAY)
    const askedAt = clock.productNow()

    const answer = await withdrawals.ask(holder, '3000')
    await setFee(withdrawals, '7')

    expect(answer).toMatchObject({
      userEmail: holder.user.email,
      amount: parseAmount('3000'),
      feeAmount: parseAmount('5'),
      toAddress: lower(holder.wallet),
      status: 'pending',
      createdAt: askedAt,
      transactionHash: null,
    })
    expect(await listed(holder)).toEqual([answer])
    expect(await balanceOf(holder)).toBe('7000')
    const entry = await em().findOneOrFail(LedgerEntry, { cause: `withdrawal:${answer.id}` })
    expect(entry).toMatchObject({ fromAccount: holder.user.id, toAccount: houseAccounts.payouts, amount: parseAmount('3000') })
    // The date of the row in product time: forty days from now.
    expect(entry.date).toBe(utcDay(answer.createdAt))
    expect(entry.date).toBe(utcDay(clock.productNow()))
    expect(entry.date).not.toBe(utcDay(clock.now()))

    const [mail] = await mailsTo(database, holder.user.email)
    expect(mail!.subject).toBe('Withdrawal of 3,000 XCR requested')
    for (const part of ['Amount: 3,000 XCR', 'Fee: 5 XCR', 'You receive: 2,995 XCR', lower(holder.wallet), "If this wasn't you"])
      expect(mail!.text).toContain(part)
    const changes = await em().find(ChangeEvent, { user: holder.user.id }, { orderBy: { id: 'asc' } })
    expect(changes.flatMap(({ keys }) => keys)).toEqual([
      '/api/inbox',
      '/api/inbox/unread',
      '/api/auth/user',
      '/api/xcr-withdrawals',
      '/api/xcr-withdrawals/limit',
      '/api/admin/waiting',
    ])
    expect(await findDifferences(database.orm)).toEqual([])
  })

  test('counts in the sum of what was withdrawn once it is paid, also when the list is too long to show it', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '3000' })
    const withdrawn = async () => (await holder.browser.call(getAuthUser, {})).withdrawn
    expect(await withdrawn()).toEqual({ totalAmount: 0n, count: 0 })
    await withdrawals.ask(holder, '3000')
    expect(await withdrawn()).toEqual({ totalAmount: 0n, count: 0 })

    const paid = contract.MAX_WITHDRAWALS + 1
    await sql(
      em(),
      `insert into withdrawals (id, user_id, amount, fee, to_address, status, message_hash, signed_message, signature, transaction_hash,
         transfer_ordinal, created_at, requested_at, completed_at)
       select gen_random_uuid(), $1, 3000000000000000000001, 5, '0xb1' || lpad(to_hex(n), 38, '0'), 'completed', lpad(to_hex(n), 64, '0'),
         '-', '0x', '0xbb' || lpad(to_hex(n), 62, '0'), 0, now(), now(), now()
       from generate_series(1, $2::int) n`,
      [holder.user.id, paid],
    )
    // They have no entries in the ledger.
    onTestFinished(() =>
      sql(database.superuser.em.fork(), `delete from withdrawals where signed_message = '-'`).then(() => undefined),
    )
    expect(await withdrawn()).toEqual({ totalAmount: BigInt(paid) * 3_000_000_000_000_000_000_001n, count: paid })
  })

  test('accepts 8 decimals and refuses more; the balance keeps all 18', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '99999.123456789012345678' })

    await expect(withdrawals.ask(holder, '12345.678901234')).rejects.toMatchObject({ status: 400 })
    const answer = await withdrawals.ask(holder, '12345.67890123')

    expect(answer.amount).toBe(12_345_678_901_230_000_000_000n)
    expect((await rowsOf(holder))[0]).toMatchObject({ amount: 12_345_678_901_230_000_000_000n, fee: 5n * 10n ** 18n })
    expect(await balanceOf(holder)).toBe('87653.444555559012345678')
    const wire = await holder.browser.fetch(withdrawals.server.url + contract.listWithdrawals.path)
    expect(await wire.json()).toMatchObject([{ amount: '12345.67890123', feeAmount: '5', transactionHash: null }])
  })

  test('of the whole balance leaves zero', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '3000' })

    await withdrawals.ask(holder, '3000')

    expect(await balanceOf(holder)).toBe('0')
  })

  test('proves the wallet if it was not proven before', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ proven: false })
    const wallet = () => holder.browser.call(updateWallet, { body: { walletAddress: lower(holder.wallet) } })
    expect(await wallet()).toMatchObject({ walletProven: false })

    await withdrawals.ask(holder, '3000')

    expect(await wallet()).toMatchObject({ walletProven: true })
  })

  test('keeps its address when the account registers another one', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    await withdrawals.ask(holder, '3000')

    await holder.browser.call(updateWallet, { body: { walletAddress: lower(makeAccount()) } })

    expect(await listed(holder)).toMatchObject([{ toAddress: lower(holder.wallet) }])
  })
})

describe('the list', () => {
  test("contains only the account's own withdrawals, newest first", async () => {
    const withdrawals = await start()
    const [mine, theirs] = [await withdrawals.openHolder(), await withdrawals.openHolder()]
    const first = await withdrawals.ask(mine, '3000')
    withdrawals.server.clock.advance(MINUTE)
    const second = await withdrawals.ask(mine, '3001')
    await withdrawals.ask(theirs, '3002')

    expect((await listed(mine)).map(({ id }) => id)).toEqual([second.id, first.id])
    await expect(withdrawals.server.openBrowser().call(contract.listWithdrawals, {})).rejects.toMatchObject({ status: 401 })
  })

  test(`has at most ${contract.MAX_WITHDRAWALS} entries`, async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '0' })
    const one = await insertWithdrawal(database.orm, { userId: await giving(holder, '3000') })
    await em()
      .getConnection()
      .execute(
        `insert into withdrawals (id, user_id, amount, fee, to_address, status, message_hash, signed_message, signature, created_at, requested_at)
       select gen_random_uuid(), user_id, amount, fee, to_address, status, md5(n::text) || md5(n::text), '', '', created_at - n * interval '1 s', requested_at
       from withdrawals, generate_series(1, 400) n where id = '${one.id}'`,
      )

    const shown = await listed(holder)

    expect(shown).toHaveLength(contract.MAX_WITHDRAWALS)
    expect(shown[0]!.id).toBe(one.id)
  })

  const giving = async (holder: Buyer, xcr: string) => {
    await giveXcr(database.orm, holder.user.id, xcr)
    return holder.user.id
  }
})

describe('concurrent requests', () => {
  test('debit exactly one of fifty when the balance covers one', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '4000' })
    const requests = await Promise.all(
      Array.from({ length: 50 }, async () => {
        await holder.grantMark()
        return withdrawals.sign(holder, '3000')
      }),
    )

    const outcomes = await Promise.allSettled(requests.map((request) => withdrawals.send(holder, request)))

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          status: 409,
          code: 'insufficient_xcr',
          serverMessage: 'Insufficient XCR balance available for withdrawal.',
        })
    expect(await rowsOf(holder)).toHaveLength(1)
    expect(await balanceOf(holder)).toBe('1000')
    // The refused ones keep their codes.
    await giveXcr(database.orm, holder.user.id, '3000')
    await withdrawals.send(holder, await withdrawals.sign(holder, '3000'))
  })

  test('with one code make one withdrawal, whatever the balance', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '100000' })
    await holder.grantMark()
    const requests = await Promise.all(Array.from({ length: 10 }, () => withdrawals.sign(holder, '3000')))

    const outcomes = await Promise.allSettled(requests.map((request) => withdrawals.send(holder, request)))

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 403, code: 'otp_required' })
    expect(await balanceOf(holder)).toBe('97000')
  })
})

describe('a signed message', () => {
  const used = { status: 409, code: 'withdrawal_message_used' }

  test('works once, also concurrently and from another session', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '100000' })
    const elsewhere = await inAnotherSession(withdrawals, holder)
    const signed = await withdrawals.sign(holder, '3000')
    for (let i = 0; i < 10; i += 1) await holder.grantMark()
    await markFor(elsewhere)

    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 8 }, () => withdrawals.send(holder, signed)),
      withdrawals.send(elsewhere, signed),
    ])
    await expect(withdrawals.send(holder, signed)).rejects.toMatchObject(used)
    await markFor(elsewhere)
    await expect(withdrawals.send(elsewhere, signed)).rejects.toMatchObject(used)

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(used)
    expect(await rowsOf(holder)).toHaveLength(1)
    expect(await balanceOf(holder)).toBe('97000')
  })

  test('is refused for another account, even if that account has the wallet by now', async () => {
    const withdrawals = await start()
    const [holder, thief] = [await withdrawals.openHolder(), await withdrawals.openHolder()]
    const signed = await withdrawals.sign(holder, '3000')
    await thief.grantMark()

    await expect(withdrawals.send(thief, signed)).rejects.toMatchObject({ status: 400, code: 'withdrawal_message_invalid' })
    await holder.browser.call(updateWallet, { body: { walletAddress: null } })
    await em().nativeUpdate(User, { id: thief.user.id }, { walletAddress: lower(holder.wallet) })
    await expect(withdrawals.send(thief, signed)).rejects.toMatchObject({ status: 400, code: 'withdrawal_message_invalid' })

    await expectUntouched(thief)
  })

  test('repeated with its idempotency key gets the first answer, although its code is used and its time has expired', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder({ xcr: '3000' })
    await holder.grantMark()
    const signed = await withdrawals.sign(holder, '3000')
    const key = crypto.randomUUID()

    const first = await withdrawals.send(holder, signed, key)
    withdrawals.server.clock.advance(60 * MINUTE)
    expect(await withdrawals.send(holder, signed, key)).toEqual(first)

    await expect(withdrawals.send(holder, { ...signed, amount: 1n }, key)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect(await rowsOf(holder)).toHaveLength(1)
  })
})

describe('a message', () => {
  const invalid = { status: 400, code: 'withdrawal_message_invalid' }

  test.each<[string, Partial<WithdrawalTerms>]>([
    ['of another amount', { amount: parseAmount('3000.000000000000000001')! }],
    ['of another address', { address: '0x00000000000000000000000000000000000000aa' }],
    ['for another chain', { chainId: 56 }],
    ['of another site', { host: 'elsewhere.example' }],
    ['of another account', { email: 'somebody@else.example' }],
    ['with a time that is none', { timestamp: 'yesterday' }],
    ['with a short nonce', { nonce: '0'.repeat(31) }],
  ])('%s is refused', async (_name, change) => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    await holder.grantMark()

    const answer = withdrawals.send(holder, await withdrawals.sign(holder, '3000', { change }))

    await expect(answer).rejects.toMatchObject(invalid)
    await expectUntouched(holder)
    // The code still allows one withdrawal.
    await withdrawals.send(holder, await withdrawals.sign(holder, '3000'))
  })

  test.each<[string, (message: string) => string]>([
    ['a space more', (text) => text.replace('Amount: ', 'Amount:  ')],
    ['a space less', (text) => text.replace('Fee: ', 'Fee:')],
    ['a line break at its end', (text) => `${text}\n`],
    ['a line break at its beginning', (text) => `\n${text}`],
    ['line ends of another system', (text) => text.replaceAll('\n', '\r\n')],
    ['zeros that change nothing', (text) => text.replace('Amount: 3000 XCR', 'Amount: 3000.0 XCR')],
    ['another net amount', (text) => text.replace('Net amount: 2995', 'Net amount: 2996')],
    ['an address in capitals', (text) => text.replace(/0x[0-9a-f]{40}/, (address) => `0x${address.slice(2).toUpperCase()}`)],
    ['a line more', (text) => text.replace('\nChain:', '\nNote: hello\nChain:')],
    ['no text at all', () => ''],
  ])('with %s is refused, though the wallet has signed just that', async (_name, alter) => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    await holder.grantMark()
    const { signedMessage, ...rest } = await withdrawals.sign(holder, '3000')
    const altered = alter(signedMessage)
    expect(altered).not.toBe(signedMessage)

    const signature = await holder.wallet.signMessage({ message: altered })
    await expect(withdrawals.send(holder, { ...rest, signedMessage: altered, signature })).rejects.toMatchObject(invalid)

    await expectUntouched(holder)
  })

  test('is valid for ten minutes, and up to a minute in the future', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    const send = async (offset: number) => {
      await holder.grantMark()
      const timestamp = new Date(withdrawals.server.clock.now().getTime() + offset).toISOString()
      return withdrawals.send(holder, await withdrawals.sign(holder, '3000', { change: { timestamp } }))
    }

    for (const offset of [-10 * MINUTE - 1, MINUTE + 1]) await expect(send(offset)).rejects.toMatchObject(invalid)
    for (const offset of [-10 * MINUTE, MINUTE]) await send(offset)
  })

  test('signed before payouts were last stopped is refused, because it may have been paid before a restore', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    await holder.grantMark()
    const used = await withdrawals.sign(holder, '3000')
    const wallet = lower(makeAccount())
    onTestFinished(() =>
      sql(database.superuser.em.fork(), 'delete from payout_wallets where address = $1', [wallet]).then(() => {}),
    )
    await sql(em(), 'insert into payout_wallets (address, next_nonce, stopped_at) values ($1, 0, $2)', [
      wallet,
      withdrawals.server.clock.now(),
    ])

    await expect(withdrawals.send(holder, used)).rejects.toMatchObject(invalid)
    await expectUntouched(holder)

    withdrawals.server.clock.advance(1)
    await withdrawals.send(holder, await withdrawals.sign(holder, '3000'))
  })

  test.each([
    ['a worker whose clock is behind stops them', { server: 0, worker: -2 * HOUR }],
    ['the clock of the server is ahead', { server: 2 * HOUR, worker: 0 }],
  ])('signed before payouts were last stopped is refused, though %s', async (_, ahead) => {
    const withdrawals = await start()
    const { clock } = withdrawals.server
    const holder = await withdrawals.openHolder()
    const stoppedAt = new Date(clock.now().getTime() + MINUTE + ahead.worker)
    clock.advanceMachine(ahead.server)
    await holder.grantMark()
    const used = await withdrawals.sign(holder, '3000')
    const wallet = lower(makeAccount())
    onTestFinished(() =>
      sql(database.superuser.em.fork(), 'delete from payout_wallets where address = $1', [wallet]).then(() => {}),
    )
    await sql(em(), 'insert into payout_wallets (address, next_nonce) values ($1, 0)', [wallet])
    await em().transactional((em) => stopWallet(em, { address: wallet, because: 'It was restored.', now: stoppedAt }))

    clock.advance(2 * MINUTE)
    await expect(withdrawals.send(holder, used)).rejects.toMatchObject(invalid)
    await expectUntouched(holder)
    await withdrawals.send(holder, await withdrawals.sign(holder, '3000'))
  })

  test('with an outdated fee is refused with the current fee, even if the fee changes during the chain checks', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    await holder.grantMark()
    const changed = { status: 409, code: 'withdrawal_fee_changed', details: { fee: '6.5' } }
    const lower = await withdrawals.sign(holder, '3000', { change: { fee: 0n } })

    await expect(withdrawals.send(holder, lower)).rejects.toMatchObject({ ...changed, details: { fee: '5' } })
    const signed = await withdrawals.sign(holder, '3000')
    meanwhile(withdrawals, () => setFee(withdrawals, '6.5'))
    await expect(withdrawals.send(holder, signed)).rejects.toMatchObject(changed)
    await expect(withdrawals.send(holder, signed)).rejects.toMatchObject(changed)

    await expectUntouched(holder)
    const answer = await withdrawals.send(
      holder,
      await withdrawals.sign(holder, '3000', { change: { fee: parseAmount('6.5')! } }),
    )
    expect(answer).toMatchObject({ feeAmount: parseAmount('6.5') })
  })

  test('with the fee that was just changed is accepted where the clock of the server is ahead of the database', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    withdrawals.server.clock.advanceMachine(3 * MINUTE)
    await setFee(withdrawals, '6.5')
    await holder.grantMark()
    const signed = await withdrawals.sign(holder, '3000', { change: { fee: parseAmount('6.5')! } })
    expect(await withdrawals.send(holder, signed)).toMatchObject({ feeAmount: parseAmount('6.5') })
  })
})

describe('the wallet', () => {
  const invalid = { status: 400, code: 'withdrawal_message_invalid' }

  test('that signs must be the registered one', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    const other = makeAccount()
    await holder.grantMark()
    const mine = await withdrawals.sign(holder, '3000')
    const theirs = await withdrawals.sign(holder, '3000', { by: other, change: { address: lower(other) } })

    const attempts: SignedWithdrawal[] = [
      { ...mine, signature: await other.signMessage({ message: mine.signedMessage }) },
      { ...mine, signerAddress: lower(other) },
      { ...theirs, signerAddress: lower(other) },
      { ...mine, signature: '0x12' },
    ]
    for (const attempt of attempts) await expect(withdrawals.send(holder, attempt)).rejects.toMatchObject(invalid)

    await expectUntouched(holder)
  })

  test('receives nothing if it is replaced or removed, or the authenticator disabled, during the chain checks', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    await holder.grantMark()
    const register = (wallet: PrivateKeyAccount | null) =>
      holder.browser.call(updateWallet, { body: { walletAddress: wallet && lower(wallet) } })
    const send = async () => withdrawals.send(holder, await withdrawals.sign(holder, '3000'))

    meanwhile(withdrawals, () => register(makeAccount()))
    await expect(send()).rejects.toMatchObject(invalid)
    await register(holder.wallet)
    meanwhile(withdrawals, () => register(null))
    await expect(send()).rejects.toMatchObject({ status: 409, code: 'wallet_required' })
    await register(holder.wallet)
    const token = await holder.code()
    meanwhile(withdrawals, () => holder.browser.call(disableOtp, { body: { token } }))
    await expect(send()).rejects.toMatchObject({ status: 403, code: 'otp_not_enabled' })

    expect(await rowsOf(holder)).toEqual([])
    expect(await balanceOf(holder)).toBe('10000')
  })
})

test('a change of the wallet waits for a concurrent withdrawal to it', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder()
  await holder.grantMark()
  const signed = await withdrawals.sign(holder, '3000')

  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const blocking = em().transactional(async (em) => {
    await sql(em, 'select from step_up_marks where user_id = $1 for update', [holder.user.id])
    locked.resolve()
    await release.promise
  })
  await locked.promise

  const asking = withdrawals.send(holder, signed)
  await untilLockWaits(database)
  const changing = holder.browser.call(updateWallet, { body: { walletAddress: null } })
  await untilLockWaits(database, 2)
  release.resolve()
  await blocking

  expect(await asking).toMatchObject({ toAddress: lower(holder.wallet) })
  expect(await changing).toMatchObject({ walletAddress: null })
})

describe('the code', () => {
  const required = { status: 403, code: 'otp_required' }

  test('must be entered in this session within ten minutes, and allows one withdrawal', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    const elsewhere = await inAnotherSession(withdrawals, holder)
    const send = async (who = holder) => withdrawals.send(who, await withdrawals.sign(holder, '3000'))

    await expect(send()).rejects.toMatchObject(required)
    await holder.grantMark()
    await expect(send(elsewhere)).rejects.toMatchObject(required)
    withdrawals.server.clock.advance(10 * MINUTE)
    await expect(send()).rejects.toMatchObject(required)
    await holder.grantMark()
    withdrawals.server.clock.advance(10 * MINUTE - 1)
    await send()
    await expect(send()).rejects.toMatchObject(required)

    expect(await rowsOf(holder)).toHaveLength(1)
  })
})

describe('the first failing check decides the error', () => {
  const texts = {
    required: 'Please enter the amount of XCR to withdraw.',
    insufficient: 'Insufficient XCR balance available for withdrawal.',
    minimum: 'The minimum withdrawal amount is 3000 XCR.',
    wallet: 'Please register your wallet address first for withdrawal.',
    otp: 'You must set up Google Authenticator before making withdrawals.',
  }
  const refused = (status: number, code: string, serverMessage: string) => ({ status, code, serverMessage })

  test('in the order amount, balance, minimum, fee, wallet, authenticator, code, message', async () => {
    const withdrawals = await start()
    // Starts with every check failing, then fixes one after the other.
    const holder = await withdrawals.openHolder({ xcr: '100', wallet: null, otp: false })
    const bad: SignedWithdrawal = { amount: 0n, signature: '0x12', signedMessage: 'hello', signerAddress: lower(makeAccount()) }
    const send = (amount: string) => withdrawals.send(holder, { ...bad, amount: parseAmount(amount)! })

    await expect(send('0')).rejects.toMatchObject(refused(400, 'withdrawal_amount_invalid', texts.required))
    await expect(send('101')).rejects.toMatchObject({
      ...refused(409, 'insufficient_xcr', texts.insufficient),
      details: { available: '100' },
    })
    await expect(send('100')).rejects.toMatchObject(refused(400, 'withdrawal_amount_invalid', texts.minimum))
    await giveXcr(database.orm, holder.user.id, '20000')
    await expect(send('2999.999999999999999999')).rejects.toMatchObject(refused(400, 'withdrawal_amount_invalid', texts.minimum))
    await setFee(withdrawals, '4000')
    const tooLittle = 'Withdrawal amount must be greater than fee (4000 XCR).'
    await expect(send('4000')).rejects.toMatchObject(refused(400, 'withdrawal_amount_invalid', tooLittle))
    await setFee(withdrawals, '5')
    await expect(send('4000')).rejects.toMatchObject(refused(409, 'wallet_required', texts.wallet))
    await holder.browser.call(updateWallet, { body: { walletAddress: lower(holder.wallet) } })
    await expect(send('4000')).rejects.toMatchObject(refused(403, 'otp_not_enabled', texts.otp))
    await em().nativeUpdate(User, { id: holder.user.id }, { otpSecret: 'a secret', otpEnabledAt: new Date() })
    await expect(send('4000')).rejects.toMatchObject({ status: 403, code: 'otp_required' })
    await holder.grantMark()
    await expect(send('4000')).rejects.toMatchObject({ status: 400, code: 'withdrawal_message_invalid' })
    const signed = await withdrawals.sign(holder, '4000')
    await expect(withdrawals.send(holder, { ...signed, signature: '0x12' })).rejects.toMatchObject({
      status: 400,
      code: 'withdrawal_message_invalid',
    })
    await withdrawals.send(holder, signed)
  })

  test('and a malformed amount or a missing session comes before all of them', async () => {
    const withdrawals = await start()
    const holder = await withdrawals.openHolder()
    const { signature, signedMessage, signerAddress } = await withdrawals.sign(holder, '3000')
    const post = (amount: unknown) =>
      holder.browser.fetch(withdrawals.server.url + contract.requestWithdrawal.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ amount, signature, signedMessage, signerAddress }),
      })

    for (const amount of ['-3000', '3e3', '3000.0000000000000000001', 3000, '']) expect((await post(amount)).status).toBe(400)
    await expect(
      withdrawals.server.openBrowser().call(contract.requestWithdrawal, {
        body: { amount: 1n, signature, signedMessage, signerAddress },
      }),
    ).rejects.toMatchObject({ status: 401 })
  })

  test('and too many attempts by an account are rate limited', async () => {
    const withdrawals = await start({ config: { RATE_LIMITS: 'withdrawal=2/900' } })
    const holder = await withdrawals.openHolder()
    const signed = await withdrawals.sign(holder, '3000')
    for (let i = 0; i < 2; i += 1) await expect(withdrawals.send(holder, signed)).rejects.toMatchObject({ status: 403 })

    await expect(withdrawals.send(holder, signed)).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
  })
})

/** A second session of the same user. */
async function inAnotherSession({ server }: Withdrawals, holder: Buyer): Promise<Buyer> {
  const browser = server.openBrowser()
  const sessionKey = await logIn(server, browser, holder.user)
  return { ...holder, browser, sessionKey }
}

async function markFor({ user, sessionKey }: Buyer): Promise<void> {
  await em()
    .getConnection()
    .execute(
      `insert into step_up_marks (id, user_id, session_key, granted_at) values (gen_random_uuid(), '${user.id}', '${sessionKey}', now())`,
    )
}

/** Runs `work` during the next request's call to the payment chain: after its checks, before its transaction. */
function meanwhile({ server }: Withdrawals, work: () => Promise<unknown>): void {
  const { paymentChain } = server.services
  const { codeAt } = paymentChain
  paymentChain.codeAt = async (address) => {
    paymentChain.codeAt = codeAt
    await work()
    return codeAt(address)
  }
}
