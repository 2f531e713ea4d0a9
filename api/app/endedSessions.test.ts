import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { describe, expect, test } from 'vitest'
import { changeAdministrator, removeAdministrator } from '#shared/contract/admin/administrators.ts'
import { adminLogout } from '#shared/contract/admin/login.ts'
import { changeSystemSetting } from '#shared/contract/admin/office.ts'
import { approveWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { logout } from '#shared/contract/identity.ts'
import { addPasskey, beginPasskey } from '#shared/contract/passkeys.ts'
import { changePassword } from '#shared/contract/password.ts'
import { endOtherSessions } from '#shared/contract/sessions.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { changeRole, removeAdministrator as remove } from '#api/office/administrators/changeRole.ts'
import { resetAdministratorPassword } from '#api/office/administrators/resetAdministratorPassword.ts'
import { lockWallets } from '#api/accounts/wallets/setWallet.ts'
import { Passkey } from '#api/entities/Passkey.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator, type TestAdministrator } from '#api/testing/administrators.ts'
import { codeOf } from '#api/testing/codeOf.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD, TEST_PASSWORD_HASH } from '#api/testing/factories.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { type Buyer, logIn, makeBuyer } from '#api/testing/people.ts'
import { approve, inTwo, proposalOf } from '#api/testing/proposals.ts'
import { startSale } from '#api/testing/sale.ts'
import { startServer, type TestBrowser } from '#api/testing/server.ts'
import { createPasskey } from '#api/testing/softAuthenticator.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const database = useDatabase()
const em = () => database.orm.em.fork()

interface Race {
  /** Takes the lock that the call waits for. */
  lock: (em: EntityManager) => Promise<unknown>
  call: () => Promise<unknown>
  /** Ends the caller's session while the call waits. */
  end: () => Promise<unknown>
  in?: { orm: Pick<MikroORM, 'em'> }
}

/** @returns the code with which the call is refused. */
async function answerOf({ lock, call, end, in: where = database }: Race): Promise<string | undefined> {
  const { answer } = await where.orm.em.fork().transactional(async (em) => {
    await lock(em)
    const answer = call().then(() => 'done', codeOf)
    await untilLockWaits(where)
    await end()
    return { answer }
  })
  return answer
}

const withBoth = async (server: Parameters<typeof makeBuyer>[0]) => {
  const buyer = await makeBuyer(server, { otp: false })
  const phone = server.openBrowser()
  await logIn(server, phone, buyer.user)
  return { buyer, phone }
}

describe('a request of a user whose session ends while it waits', () => {
  const endings: Record<string, (devices: { buyer: Buyer; phone: TestBrowser }) => Promise<unknown>> = {
    'is logged out': ({ buyer }) => buyer.browser.call(logout, {}),
    'is ended from another browser': ({ phone }) => phone.call(endOtherSessions, {}),
    'ends with the password': ({ phone }) =>
      phone.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: 'An0ther!word' } }),
  }
  test.each(Object.keys(endings))('leaves the wallet as it is: the session %s', async (how) => {
    const server = await startServer(database)
    const { buyer, phone } = await withBoth(server)
    const { browser, user } = buyer
    const call = () => browser.call(updateWallet, { body: { walletAddress: null } })

    // The browser drops its cookie at a logout, so the call is sent before.
    expect(await answerOf({ lock: lockWallets, call, end: () => endings[how]!({ buyer, phone }) })).toBe('unauthenticated')

    expect(await em().findOneOrFail(User, user.id)).toMatchObject({ walletAddress: user.walletAddress })
  })

  test('adds no passkey', async () => {
    const server = await startServer(database)
    const { buyer, phone } = await withBoth(server)
    const { browser, user } = buyer
    const passkey = createPasskey(await browser.call(beginPasskey, { body: { password: TEST_PASSWORD } }))
    const lock = (em: EntityManager) => sql(em, 'select from users where id = $1 for no key update', [user.id])
    const call = () => browser.call(addPasskey, { body: { name: 'Phone', passkey: passkey.created } })

    expect(await answerOf({ lock, call, end: () => phone.call(endOtherSessions, {}) })).toBe('unauthenticated')

    expect(await em().count(Passkey, { user: user.id })).toBe(0)
  })

  test('still reports a payment that may be on its way', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 2)
    const { orm } = sale.server.services
    const lock = (em: EntityManager) => sql(em, 'select from users where id = $1 for update', [buyer.user.id])
    const end = () => sql(orm.em.fork(), 'delete from web_sessions where key = $1', [buyer.sessionKey])
    const call = () => sale.post(buyer, { quantity: 2, usdt: '6' })

    expect(await answerOf({ lock, call, end, in: sale.server.services })).toBe('done')

    expect(await orm.em.fork().find(Purchase, { user: buyer.user.id })).toMatchObject([{ status: 'pending' }])
  })
})

describe('a request of an administrator who loses the session or the role while it waits', () => {
  const lock = (em: EntityManager) => sql(em, 'select from installation where id = 1 for update')
  const by = { actor: 'operator:test', clientAddress: '127.0.0.1' }
  const ofEach: Record<string, [code: string, (who: TestAdministrator & { browser: TestBrowser }) => Promise<unknown>]> = {
    'is logged out': ['unauthenticated', ({ browser }) => browser.call(adminLogout, {})],
    'is removed': [
      'unauthenticated',
      ({ id }) => em().transactional((em) => remove(em, { administratorId: id, ...by, now: new Date() })),
    ],
    'gets a new password': [
      'unauthenticated',
      (administrator) =>
        em().transactional((em) =>
          resetAdministratorPassword(em, { administrator, actor: by.actor, passwordHash: TEST_PASSWORD_HASH }),
        ),
    ],
    'gets a lower role': [
      'forbidden',
      ({ id }) => em().transactional((em) => changeRole(em, { administratorId: id, role: 'finance', ...by })),
    ],
  }
  const openOwners = async () => {
    const server = await startServer(database)
    return [await openAdministrator(server), await openAdministrator(server, { role: 'owner' })] as const
  }
  const countChanges = async (key: string) => (await sql(em(), 'select from setting_changes where key = $1', [key])).length

  test.each(Object.keys(ofEach))('saves no setting: the administrator %s', async (how) => {
    const [, two] = await openOwners()
    const before = await countChanges('sales_enabled')
    const [code, end] = ofEach[how]!
    const call = () => two.browser.call(changeSystemSetting, { body: { key: 'sales_enabled', value: 'false' } })

    expect(await answerOf({ lock, call, end: () => end(two) })).toBe(code)

    expect(await countChanges('sales_enabled')).toBe(before)
  })

  test('approves no withdrawal', async () => {
    await openOwners()
    const server = await startServer(database)
    const finance = await openAdministrator(server, { role: 'finance' })
    const { id } = await insertWithdrawal(database.orm, { reviewReason: 'recent_change' })
    const call = () => finance.browser.call(approveWithdrawal, { params: { id }, body: { notes: 'Checked' } })
    const locked = (em: EntityManager) => sql(em, 'select from withdrawals where id = $1 for update', [id])

    expect(await answerOf({ lock: locked, call, end: () => ofEach['is removed']![1](finance) })).toBe('unauthenticated')

    expect(await em().findOneOrFail(Withdrawal, id)).toMatchObject({ status: 'manual_review' })
  })

  test('approves no proposal, but may approve what ends its own', async () => {
    const [one, two] = await openOwners()
    const price = one.browser.call(changeSystemSetting, { body: { key: 'node_price_usdt', value: '4' } })
    const proposal = await proposalOf(one.browser, price)
    const call = () => approve(two.browser, proposal)
    const { browser, ...other } = await openAdministrator(await startServer(database), { role: 'owner' })

    expect(await answerOf({ lock, call, end: () => ofEach['gets a new password']![1](two) })).toBe('unauthenticated')
    expect(await countChanges('node_price_usdt')).toBe(0)

    const params = { id: other.id }
    const proof = { password: TEST_PASSWORD }
    const role = one.browser.call(changeAdministrator, { params, body: { ...proof, role: 'support' } })
    expect(await inTwo(one.browser, browser, role)).toMatchObject({ message: 'The role is changed.' })
    const again = await openAdministrator(await startServer(database), { role: 'owner' })
    const removal = one.browser.call(removeAdministrator, { params: { id: again.id }, body: proof })
    expect(await inTwo(one.browser, again.browser, removal)).toMatchObject({ message: 'The administrator is removed.' })
  })
})
