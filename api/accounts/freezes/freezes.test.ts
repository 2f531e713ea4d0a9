import { describe, expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { getPerson } from '#shared/contract/admin/person.ts'
import * as users from '#shared/contract/admin/users.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import * as contract from '#shared/contract/freezes.ts'
import { getAuthUser, login } from '#shared/contract/identity.ts'
import { listInbox } from '#shared/contract/inbox.ts'
import { disableOtp, enableOtp, renewRecoveryCodes, setupOtp, verifyOtp } from '#shared/contract/otp.ts'
import { addPasskey, beginPasskey } from '#shared/contract/passkeys.ts'
import { changePassword, forgotPassword, resetPassword } from '#shared/contract/password.ts'
import { endOtherSessions } from '#shared/contract/sessions.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { changeDailyLimit, getDailyLimit, requestWithdrawal } from '#shared/contract/withdrawals.ts'
import { DAY, HOUR } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { FreezeToken } from '#api/entities/FreezeToken.ts'
import { InboxMessage } from '#api/entities/InboxMessage.ts'
import { User } from '#api/entities/User.ts'
import { changeProofKey } from '#api/accounts/proofs/showProofKeys.ts'
import { lockWallets } from '#api/accounts/wallets/setWallet.ts'
import { sql } from '#api/platform/db/sql.ts'
import { publishChanges } from '#api/platform/events/runNotifier.ts'
import { sendDueMails } from '#api/platform/mail/sendMail.ts'
import { OutgoingMail } from '#api/platform/tables/OutgoingMail.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { freezeTokensTo } from '#api/testing/freezeLinks.ts'
import { listenToEvents } from '#api/testing/listenToEvents.ts'
import { mailedCode, mailsTo } from '#api/testing/mails.ts'
import { type Buyer, logIn, makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { changePassword as replaceByOwner } from '../identity/changePassword.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { freezeAccount } from './freezeAccount.ts'
import { planThaw, thawNow } from './thawAccount.ts'

const database = useDatabase()
const em = () => database.orm.em.fork()

/** Mails the owner about a change of the account, as a thief's change would. Returns the token of the mail's link. */
async function warn({ services }: TestServer, { user }: Pick<Buyer, 'user'>): Promise<string> {
  await em().transactional((em) =>
    notifyOwner(em, services, {
      topic: 'security',
      to: user,
      link: '/security',
      subject: 'Your password was changed',
      paragraphs: [],
    }),
  )
  return (await freezeTokensTo(database, user.email))[0]!
}
const press = (browser: TestBrowser, token: string) => browser.call(contract.freezeByLink, { body: { token } })
const freeze = async (server: TestServer, buyer: Pick<Buyer, 'user'>) => {
  const token = await warn(server, buyer)
  await press(server.openBrowser(), token)
  return token
}
const thaw = async ({ browser, code }: Pick<Buyer, 'browser' | 'code'>, password = TEST_PASSWORD) =>
  browser.call(contract.thawAccount, { body: { password, token: await code() } })
const userOf = ({ user }: Pick<Buyer, 'user'>) => em().findOneOrFail(User, user.id)
const whoAmI = ({ browser }: Pick<Buyer, 'browser'>) => browser.call(getAuthUser, {})
const subjects = async ({ user }: Pick<Buyer, 'user'>) => (await mailsTo(database, user.email)).map(({ subject }) => subject)

/** The account with a session of its new epoch. */
async function comeBack<B extends Buyer>(server: TestServer, buyer: B): Promise<B> {
  const browser = server.openBrowser()
  await logIn(server, browser, await userOf(buyer))
  return { ...buyer, browser }
}
async function openFrozen(options: Parameters<typeof makeBuyer>[1] = {}) {
  const server = await startServer(database)
  const buyer = await makeBuyer(server, options)
  await freeze(server, buyer)
  return { server, buyer: await comeBack(server, buyer) }
}

/** Everything that a freeze changes. */
const stateOf = async ({ user }: Pick<Buyer, 'user'>) => ({
  account: await sql(em(), 'select frozen_at, thaws_at, session_epoch from users where id = $1', [user.id]),
  tokens: await sql(em(), 'select used_at from freeze_tokens where user_id = $1', [user.id]),
  sessions: await em().count(WebSession, { accountId: user.id }),
  mails: await em().count(OutgoingMail, { to: user.email }),
  audited: await em().count(AuditEntry, { target: user.email }),
})

describe('the link of a mail', () => {
  test('freezes the account, ends its sessions and event streams, and tells the owner', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const other = await comeBack(server, buyer)
    const stream = await listenToEvents(server, buyer.browser)
    const token = await warn(server, buyer)

    expect(await press(server.openBrowser(), token)).toEqual({ message: 'The account is frozen.', withdrawalsOnTheirWay: 0 })

    await publishChanges(server.services.orm)
    for (const session of [buyer, other]) await expect(whoAmI(session)).rejects.toMatchObject({ status: 401 })
    await expect(
      (async () => {
        for (;;) await stream.hear()
      })(),
    ).rejects.toThrow('The stream has ended.')
    expect(await whoAmI(await comeBack(server, buyer))).toMatchObject({ frozen: { thawsAt: null } })
    expect(await subjects(buyer)).toEqual(['Your account is frozen', 'Your password was changed'])
    expect(await em().findOneOrFail(AuditEntry, { target: buyer.user.email })).toMatchObject({
      actor: `user:${buyer.user.email}`,
      action: 'account.freeze',
      ipAddress: '127.0.0.1',
    })
  })

  test('changes nothing when it is fetched, however often', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const token = await warn(server, buyer)
    const before = await stateOf(buyer)

    const visits = Array.from({ length: 100 }, async (_, index) => {
      const path = ['/freeze', `/freeze?token=${token}`, '/api/freeze', `/api/freeze?token=${token}`][index % 4]!
      const method = index % 5 ? 'GET' : 'HEAD'
      const answer = await (index % 3 ? buyer.browser.fetch : fetch)(server.url + path, { method })
      await answer.arrayBuffer()
      return answer.status
    })

    expect(new Set(await Promise.all(visits))).toEqual(new Set([404, 405]))
    expect(await stateOf(buyer)).toEqual(before)
    expect(await whoAmI(buyer)).not.toHaveProperty('frozen')
  })

  test('freezes its own account and no other, without a session and for somebody logged in as another', async () => {
    const server = await startServer(database)
    const [buyer, other] = [await makeBuyer(server), await makeBuyer(server)]
    const token = await warn(server, buyer)

    await press(other.browser, token)

    expect(await whoAmI(other)).not.toHaveProperty('frozen')
    await expect(whoAmI(buyer)).rejects.toMatchObject({ status: 401 })
    expect((await userOf(buyer)).frozenAt).toEqual(server.clock.now())
    expect((await userOf(other)).frozenAt).toBeNull()
  })

  test('pressed in a session of the account logs it out', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    await press(buyer.browser, await warn(server, buyer))
    expect(buyer.browser.cookie('user_session')).toBeUndefined()
  })

  test('works once: pressed again it answers alike while the account is frozen, and is used up after that', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const token = await freeze(server, buyer)
    const before = await stateOf(buyer)
    expect(await press(server.openBrowser(), token)).toMatchObject({ withdrawalsOnTheirWay: 0 })
    expect(await stateOf(buyer)).toEqual(before)

    const { user } = buyer
    await em().transactional((em) =>
      thawNow(em, server.services, { user, actor: 'operator:x', reason: 'Known.', now: server.clock.now() }),
    )
    await expect(press(server.openBrowser(), token)).rejects.toMatchObject({ status: 410, code: 'freeze_link_used' })
    expect((await userOf(buyer)).thawsAt).toEqual(server.clock.now())
  })

  test('tells who has it whether it still works, and changes nothing', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const [token, other] = [await warn(server, buyer), await warn(server, buyer)]
    const read = (token: string) => server.openBrowser().call(contract.readFreezeLink, { body: { token } })
    const before = await stateOf(buyer)
    expect(await read(token)).toEqual({ frozen: null })
    await expect(read(`${token}A`)).rejects.toMatchObject({ status: 404, code: 'freeze_link_unknown' })
    expect(await stateOf(buyer)).toEqual(before)

    await press(server.openBrowser(), token)
    const frozen = await stateOf(buyer)
    expect(await read(token)).toEqual({ frozen: { message: 'The account is frozen.', withdrawalsOnTheirWay: 0 } })
    expect(await read(other), 'another link would still end the sessions').toEqual({ frozen: null })
    expect(await stateOf(buyer)).toEqual(frozen)

    await thaw(await comeBack(server, buyer))
    await expect(read(token)).rejects.toMatchObject({ status: 410, code: 'freeze_link_used' })
    server.clock.advance(8 * DAY)
    await expect(read(other)).rejects.toMatchObject({ status: 410, code: 'freeze_link_expired' })
  })

  test('pressed many times at once freezes once', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const [token, second] = [await warn(server, buyer), await warn(server, buyer)]
    await Promise.all([token, token, token, second, second].map((one) => press(server.openBrowser(), one)))
    expect((await subjects(buyer)).filter((subject) => subject === 'Your account is frozen')).toHaveLength(1)
  })

  test('expires after seven days in real time, which the demo clock does not shorten', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const [late, early] = [await warn(server, buyer), await warn(server, buyer)]
    server.clock.advanceProduct(30 * DAY)
    server.clock.advance(7 * DAY - HOUR)
    await press(server.openBrowser(), early)
    server.clock.advance(2 * HOUR)
    const { user } = buyer
    await em().transactional((em) =>
      thawNow(em, server.services, { user, actor: 'operator:x', reason: 'Known.', now: server.clock.now() }),
    )

    await expect(press(server.openBrowser(), late)).rejects.toMatchObject({ status: 410, code: 'freeze_link_expired' })
    expect((await userOf(buyer)).thawsAt).toEqual(server.clock.now())
  })

  test('that is truncated or unknown freezes nobody', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const token = await warn(server, buyer)
    for (const wrong of [token.slice(1), `${token}A`, token.toLowerCase(), 'x', "' or ''='"])
      await expect(press(server.openBrowser(), wrong)).rejects.toMatchObject({ status: 404, code: 'freeze_link_unknown' })
    expect((await userOf(buyer)).frozenAt).toBeNull()
  })

  test('is in the mail alone, with 256 random bits, and the database has only its hash', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const tokens = [await warn(server, buyer), await warn(server, buyer)]
    expect(new Set(tokens).size).toBe(2)
    for (const token of tokens) {
      expect(Buffer.from(token, 'base64url')).toHaveLength(32)
      const messages = JSON.stringify(await buyer.browser.call(listInbox, { query: { limit: 30, offset: 0 } }))
      const rows = JSON.stringify([
        await em().find(InboxMessage, {}),
        await em().find(FreezeToken, {}),
        await em().find(AuditEntry, {}),
      ])
      for (const text of [messages, rows]) expect(text).not.toContain(token)
    }
    const [mail] = await mailsTo(database, buyer.user.email)
    expect(mail!.html).toContain(`<a href="http://localhost:3000/freeze#token=${tokens[1]}"`)
  })

  test('is stored with its message and mail or not at all, and stays the same when the mail is sent again', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const told = { topic: 'security', to: buyer.user, link: null, subject: 'Your password was changed', paragraphs: [] } as const
    const dying = em().transactional(async (em) => {
      await notifyOwner(em, server.services, told)
      throw new Error('killed')
    })
    await expect(dying).rejects.toThrow('killed')
    expect(await stateOf(buyer)).toMatchObject({ tokens: [], mails: 0 })

    await em().transactional((em) => notifyOwner(em, server.services, { ...told, cause: 'change:1' }))
    await em().transactional((em) => notifyOwner(em, server.services, { ...told, cause: 'change:1' }))
    expect(await stateOf(buyer)).toMatchObject({ tokens: [{ used_at: null }], mails: 1 })
    const sent: string[] = []
    const mail = {
      async send({ text, to }: { text: string; to: string }) {
        if (to === buyer.user.email) sent.push(text)
        throw new Error('The server has accepted it, and the connection broke.')
      },
      stop: () => {},
    }
    for (let tries = 0; tries < 2; tries += 1) {
      await sql(em(), `update outgoing_mails set next_attempt_at = now() - interval '1 second'`)
      await sendDueMails.run({ ...server.services, mail })
    }
    expect(sent).toHaveLength(2)
    expect(sent[0]).toBe(sent[1])
  })
})

test('every mail about security has its link, also the one of a requested withdrawal; other mails have none', async () => {
  const server = await startServer(database)
  const { user } = await makeBuyer(server)
  for (const topic of ['nodes', 'payments', 'withdrawals', 'security'] as const)
    await em().transactional((em) =>
      notifyOwner(em, server.services, { topic, to: user, link: null, subject: 'Your password was changed', paragraphs: [] }),
    )
  expect(await freezeTokensTo(database, user.email)).toHaveLength(1)
})

describe('a frozen account', () => {
  const token = '123456'
  const unsigned = {
    id: 'AAAAAAAAAAAAAAAAAAAAAA',
    rawId: 'AAAAAAAAAAAAAAAAAAAAAA',
    type: 'public-key',
    response: { clientDataJSON: 'AA', attestationObject: 'AA' },
  }
  const changes: [Endpoint, object?][] = [
    [requestWithdrawal, { amount: '3000', signature: '0x00', signedMessage: 'none', signerAddress: `0x${'0'.repeat(39)}1` }],
    [changePassword, { currentPassword: TEST_PASSWORD, newPassword: 'An0ther(word)' }],
    [setupOtp],
    [enableOtp, { secret: 'ABC', token }],
    [disableOtp, { token }],
    [renewRecoveryCodes],
    [updateWallet, { walletAddress: null }],
    [updateWallet, { walletAddress: `0x${'0'.repeat(39)}1` }],
    [beginPasskey, {}],
    [addPasskey, { name: '', passkey: unsigned }],
  ]
  async function expectRefused(server: TestServer, { browser, user, sessionKey }: Buyer) {
    for (const [{ method, path }, body] of changes) {
      const answer = await browser.fetch(server.url + path, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      expect([path, answer.status, await answer.json()]).toEqual([path, 409, expect.objectContaining({ code: 'account_frozen' })])
    }
    const request = { user, sessionKey, clientAddress: '127.0.0.1', now: server.clock.now() }
    await expect(changeProofKey(em(), server.services, request)).rejects.toMatchObject({ code: 'account_frozen' })
  }

  test('refuses withdrawals and every change of its credentials and wallet', async () => {
    const { server, buyer } = await openFrozen()
    await buyer.grantMark()
    const before = await userOf(buyer)
    await expectRefused(server, buyer)
    expect(await userOf(buyer)).toEqual(before)
  })

  test('refuses them until its thaw at a server whose clock is ahead of the database, too', async () => {
    const { server, buyer } = await openFrozen()
    const { thawsAt } = await thaw(buyer)
    server.clock.advanceMachine(2 * DAY)
    const back = await comeBack(server, buyer)
    await back.grantMark()
    await expectRefused(server, back)
    expect(await whoAmI(back)).toMatchObject({ frozen: { thawsAt } })
  })

  test('refuses a higher daily limit, accepts a lower one, and forgets a planned raise', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const xcr = (text: string) => parseAmount(text)!
    const change = ({ browser }: Buyer, limit: bigint) => browser.call(changeDailyLimit, { body: { limit } })
    await change(buyer, xcr('5'))
    await buyer.grantMark()
    expect(await change(buyer, xcr('9'))).toMatchObject({ next: { limit: xcr('9') } })
    await freeze(server, buyer)
    const back = await comeBack(server, buyer)
    expect(await back.browser.call(getDailyLimit, {})).toMatchObject({ limit: xcr('5'), next: null })
    await expect(change(back, xcr('9'))).rejects.toMatchObject({ code: 'account_frozen' })
    expect(await change(back, xcr('4'))).toMatchObject({ limit: xcr('4') })
  })

  test('forgets a planned raise and knows of a planned thaw at a server whose clock is ahead of the database', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const xcr = (text: string) => parseAmount(text)!
    await buyer.browser.call(changeDailyLimit, { body: { limit: xcr('5') } })
    await buyer.grantMark()
    await buyer.browser.call(changeDailyLimit, { body: { limit: xcr('9') } })
    server.clock.advanceMachine(2 * DAY)
    await freeze(server, buyer)
    expect(await userOf(buyer)).toMatchObject({ dailyLimit: xcr('5'), nextDailyLimit: null, dailyLimitChangesAt: null })

    const other = await openFrozen()
    await thaw(other.buyer)
    other.server.clock.advanceMachine(2 * DAY)
    await freeze(other.server, other.buyer)
    expect((await subjects(other.buyer))[0]).toBe('Your account stays frozen')
  })

  test('lets its owner log in, show a code for a purchase, and end other sessions', async () => {
    const { server, buyer } = await openFrozen()
    const browser = server.openBrowser()
    await browser.call(login, { body: { email: buyer.user.email, password: TEST_PASSWORD } })
    await browser.call(verifyOtp, { body: { token: await buyer.code() } })
    expect(await browser.call(endOtherSessions, {})).toMatchObject({ ended: 1 })
  })

  test('lets its owner log in from a known browser, however often others guess', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const logInWith = (browser: TestBrowser, password: string) =>
      browser.call(login, { body: { email: buyer.user.email, password } })
    await logInWith(buyer.browser, TEST_PASSWORD)
    await freeze(server, buyer)
    for (let guesses = 0; guesses < 3; guesses += 1)
      await expect(logInWith(server.openBrowser(), 'Wr0ng!word')).rejects.toMatchObject({ code: 'invalid_credentials' })
    await expect(logInWith(server.openBrowser(), TEST_PASSWORD)).rejects.toMatchObject({ code: 'captcha_required' })
    await logInWith(buyer.browser, TEST_PASSWORD)
    expect(await whoAmI(buyer)).toMatchObject({ frozen: { thawsAt: null } })
  })

  test('ends the sessions of an intruder again at the next link, without another mail', async () => {
    const { server, buyer } = await openFrozen()
    await press(server.openBrowser(), await warn(server, buyer))
    await expect(whoAmI(buyer)).rejects.toMatchObject({ status: 401 })
    expect((await subjects(buyer)).filter((subject) => /frozen/.test(subject))).toEqual(['Your account is frozen'])
  })

  test('refuses a new password that was being hashed when the account was frozen', async () => {
    const { server, buyer } = await openFrozen()
    const { passwordHash } = await userOf(buyer)
    const given = {
      passwordHash: 'The hash of another.',
      insteadOf: passwordHash,
      browserToken: 'x',
      clientAddress: '203.0.113.1',
    }
    const changing = em().transactional((em) =>
      replaceByOwner(em, server.services, { ...given, user: buyer.user, now: server.clock.now() }),
    )
    await expect(changing).rejects.toMatchObject({ code: 'account_frozen' })
    expect((await userOf(buyer)).passwordHash).toBe(passwordHash)
  })

  test('refuses a change that waits for the freeze, and a freeze waits for a change', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const { user, browser } = buyer
    const waiting = await em().transactional(async (em) => {
      await freezeAccount(em, server.services, { userId: user.id, now: server.clock.now() })
      const change = browser.call(updateWallet, { body: { walletAddress: null } }).catch((error: unknown) => error)
      await expect.poll(() => countLockWaits(database)).toBe(1)
      return { change }
    })
    expect(await waiting.change).toMatchObject({ code: 'account_frozen' })

    const other = await makeBuyer(server)
    const token = await warn(server, other)
    const held = await em().transactional(async (em) => {
      await lockWallets(em)
      const removal = other.browser.call(updateWallet, { body: { walletAddress: null } })
      await expect.poll(() => countLockWaits(database)).toBe(1)
      await press(server.openBrowser(), token)
      return { removal: removal.catch((error: unknown) => error) }
    })
    expect(await held.removal).toMatchObject({ code: 'account_frozen' })
    expect((await userOf(other)).walletAddress).toBe(other.user.walletAddress)
  })
})

describe('an owner who is logged in', () => {
  test('freezes the account with the password', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const ask = (password: string) => buyer.browser.call(contract.freezeAccount, { body: { password } })
    await expect(ask('Wr0ng!word')).rejects.toMatchObject({ status: 400, code: 'invalid_credentials' })
    expect((await userOf(buyer)).frozenAt).toBeNull()
    expect(await ask(TEST_PASSWORD)).toMatchObject({ withdrawalsOnTheirWay: 0 })
    await expect(whoAmI(buyer)).rejects.toMatchObject({ status: 401 })
    expect(await subjects(buyer)).toEqual(['Your account is frozen'])
  })
})

test('an administrator freezes an account, or cancels its planned thaw, and the owner is not shown the address it came from', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const { browser } = await openAdministrator(server)
  const freezeUser = (reason: string) => browser.call(users.freezeUser, { params: { id: buyer.user.id }, body: { reason } })
  await expect(freezeUser(' ')).rejects.toThrow('Please enter a reason')

  expect(await freezeUser('Logins from two countries.')).toEqual({ message: 'No withdrawal is on its way.' })
  await expect(whoAmI(buyer)).rejects.toMatchObject({ status: 401 })
  expect(await em().findOneOrFail(AuditEntry, { target: buyer.user.email, action: 'account.freeze' })).toMatchObject({
    actor: expect.stringMatching(/^admin:/),
    ipAddress: '127.0.0.1',
    after: { frozen: true, reason: 'Logins from two countries.' },
  })
  const [mail] = await mailsTo(database, buyer.user.email)
  expect(mail).toMatchObject({ subject: 'Your account is frozen' })
  expect(mail!.text).toContain('Our support has frozen it')
  expect(mail!.text).not.toContain('127.0.0.1')

  const back = await comeBack(server, buyer)
  await thaw(back)
  await freezeUser('He did not start this thaw.')
  expect((await userOf(buyer)).thawsAt).toBeNull()
  expect((await subjects(buyer))[0]).toBe('Your account stays frozen')
})

describe('a thaw', () => {
  test('needs password and code, takes 24 hours in real time, and is mailed with another link', async () => {
    const { server, buyer } = await openFrozen()
    const before = server.clock.now()
    const em = database.orm.em.fork()
    await sql(em, 'delete from change_events')
    const { thawsAt } = await thaw(buyer)
    const told = await sql<{ keys: string[] }>(em, 'select keys from change_events')
    expect(told.flatMap(({ keys }) => keys)).toEqual(expect.arrayContaining([getAuthUser.path, getPerson.path]))
    expect(thawsAt.getTime() - before.getTime()).toBeGreaterThanOrEqual(DAY)
    expect(thawsAt).toEqual(new Date(server.clock.now().getTime() + DAY))
    expect(await whoAmI(buyer)).toMatchObject({ frozen: { thawsAt } })
    const [mail] = await mailsTo(database, buyer.user.email)
    expect(mail!.subject).toBe('Your account will be thawed')
    expect(mail!.text).toContain('/freeze#token=')

    server.clock.advanceProduct(30 * DAY)
    server.clock.advance(DAY - 1)
    const remove = () => buyer.browser.call(updateWallet, { body: { walletAddress: null } })
    await expect(remove()).rejects.toMatchObject({ code: 'account_frozen' })
    server.clock.advance(1)
    expect(await remove()).not.toHaveProperty('frozen')
    expect((await userOf(buyer)).withdrawalsReviewedUntil).toEqual(new Date(thawsAt.getTime() + DAY))
  })

  test('is done at once by an administrator at a server whose clock is ahead of the database, too', async () => {
    const { server, buyer } = await openFrozen()
    await thaw(buyer)
    server.clock.advanceMachine(2 * DAY)
    const at = await server.clock.dueNow()
    const request = { user: buyer.user, actor: 'operator:x', reason: 'Known.', now: server.clock.now() }
    await em().transactional((em) => thawNow(em, server.services, request))
    expect(await userOf(buyer)).toMatchObject({ thawsAt: at, withdrawalsReviewedUntil: new Date(at.getTime() + DAY) })
  })

  test('that is planned is not started anew, and one of an account that is not frozen is refused', async () => {
    const { server, buyer } = await openFrozen()
    const planned = await thaw(buyer)
    server.clock.advance(HOUR)
    expect(await thaw(buyer)).toEqual(planned)
    server.clock.advance(DAY)
    await expect(thaw(buyer)).rejects.toMatchObject({ status: 409, code: 'account_not_frozen' })
  })

  test('counts wrong passwords and wrong codes', async () => {
    const { buyer } = await openFrozen()
    const wrong = { password: TEST_PASSWORD, token: await buyer.codeAt(HOUR) }
    await expect(thaw(buyer, 'Wr0ng!word')).rejects.toMatchObject({ code: 'invalid_credentials' })
    for (let tries = 0; tries < 5; tries += 1)
      await expect(buyer.browser.call(contract.thawAccount, { body: wrong })).rejects.toMatchObject({ code: 'otp_invalid' })
    await expect(thaw(buyer)).rejects.toMatchObject({ code: 'otp_locked' })
    for (let tries = 0; tries < 9; tries += 1) await thaw(buyer, 'Wr0ng!word').catch(() => undefined)
    await expect(thaw(buyer, 'Wr0ng!word')).rejects.toMatchObject({ code: 'rate_limited' })
    expect((await userOf(buyer)).thawsAt).toBeNull()
  })

  test('of an account without an authenticator is left to support', async () => {
    const { buyer } = await openFrozen({ otp: false })
    const asked = buyer.browser.call(contract.thawAccount, { body: { password: TEST_PASSWORD, token: '123456' } })
    await expect(asked).rejects.toMatchObject({ status: 409, code: 'otp_not_enabled' })
  })

  test('is cancelled by the link of its mail or an older one, and not by a used one', async () => {
    const { server, buyer } = await openFrozen()
    const used = (await freezeTokensTo(database, buyer.user.email))[0]!
    const older = await warn(server, buyer)
    for (const pick of [async () => (await freezeTokensTo(database, buyer.user.email))[0]!, async () => older]) {
      const back = await comeBack(server, buyer)
      const { thawsAt } = await thaw(back)
      await expect(press(server.openBrowser(), used)).rejects.toMatchObject({ code: 'freeze_link_used' })
      expect((await userOf(buyer)).thawsAt).toEqual(thawsAt)
      await press(server.openBrowser(), await pick())
      expect((await userOf(buyer)).thawsAt).toBeNull()
      await expect(whoAmI(back)).rejects.toMatchObject({ status: 401 })
      expect((await subjects(buyer))[0]).toBe('Your account stays frozen')
    }
  })

  test('is refused if the password was replaced while it was being checked', async () => {
    const { server, buyer } = await openFrozen()
    const token = await buyer.code()
    const planning = em().transactional((em) =>
      planThaw(em, server.services, {
        user: buyer.user,
        passwordHash: 'The hash of the replaced one.',
        token,
        device: undefined,
        clientAddress: '203.0.113.1',
        now: server.clock.now(),
      }),
    )
    await expect(planning).rejects.toMatchObject({ code: 'invalid_credentials' })
    expect((await userOf(buyer)).thawsAt).toBeNull()
  })

  test('is done at once by an administrator with a reason, and the owner is told', async () => {
    const { server, buyer } = await openFrozen()
    const { browser } = await openAdministrator(server)
    const listed = async () =>
      (await browser.call(users.searchUsers, { query: { email: buyer.user.email, limit: 15, offset: 0 } })).users[0]
    const thawUser = (reason: string) => browser.call(users.thawUser, { params: { id: buyer.user.id }, body: { reason } })
    expect(await listed()).toMatchObject({ frozen: { thawsAt: null } })
    await expect(thawUser(' ')).rejects.toThrow('Please enter a reason')
    await thawUser('Called back at the known number.')
    expect(await listed()).not.toHaveProperty('frozen')
    expect(await whoAmI(buyer)).not.toHaveProperty('frozen')
    expect((await userOf(buyer)).withdrawalsReviewedUntil).toEqual(new Date(server.clock.now().getTime() + DAY))
    expect(await em().findOneOrFail(AuditEntry, { target: buyer.user.email, action: 'account.thaw' })).toMatchObject({
      actor: expect.stringMatching(/^admin:/),
      after: { reason: 'Called back at the known number.' },
    })
    expect((await subjects(buyer))[0]).toBe('Your account was thawed')
    await expect(thawUser('Again.')).rejects.toMatchObject({ status: 409, code: 'account_not_frozen' })
  })
})

describe('a forgotten password of a frozen account', () => {
  const newPassword = 'An0ther(word)'
  const askForCode = async (server: TestServer, { user: { email } }: Buyer) => {
    await server.openBrowser().call(forgotPassword, { body: { email } })
    return mailedCode(database, email)
  }

  test('is reset with the mailed code and the authenticator; the account stays frozen and a planned thaw is cancelled', async () => {
    const { server, buyer } = await openFrozen()
    await thaw(buyer)
    const body = { email: buyer.user.email, newPassword, code: await askForCode(server, buyer) }
    await expect(server.openBrowser().call(resetPassword, { body })).rejects.toMatchObject({ code: 'otp_required' })
    await server.openBrowser().call(resetPassword, { body: { ...body, token: await buyer.code() } })
    const back = await comeBack(server, buyer)
    expect(await whoAmI(back)).toMatchObject({ frozen: { thawsAt: null } })
    await expect(thaw(back)).rejects.toMatchObject({ code: 'invalid_credentials' })
    expect(await thaw(back, newPassword)).toMatchObject({ thawsAt: expect.any(Date) })
  })

  test('is reset at a server whose clock is ahead of the database, and a thaw that is still planned is cancelled', async () => {
    const { server, buyer } = await openFrozen()
    await thaw(buyer)
    server.clock.advanceMachine(2 * DAY)
    const body = { email: buyer.user.email, newPassword, code: await askForCode(server, buyer), token: await buyer.code() }
    await server.openBrowser().call(resetPassword, { body })
    expect((await userOf(buyer)).thawsAt).toBeNull()
  })

  test('is reset after a thaw without freezing the account again', async () => {
    const { server, buyer } = await openFrozen()
    await thaw(buyer)
    server.clock.advance(DAY)
    const body = { email: buyer.user.email, newPassword, code: await askForCode(server, buyer), token: await buyer.code() }
    await server.openBrowser().call(resetPassword, { body })
    expect(await whoAmI(await comeBack(server, buyer))).not.toHaveProperty('frozen')
  })

  test('is not reset with the mailbox alone', async () => {
    const { server, buyer } = await openFrozen({ otp: false })
    const { email } = buyer.user
    const { passwordHash } = await userOf(buyer)
    const body = { email, newPassword, code: await askForCode(server, buyer) }
    await expect(server.openBrowser().call(resetPassword, { body })).rejects.toMatchObject({ code: 'account_frozen' })
    expect((await userOf(buyer)).passwordHash).toBe(passwordHash)
  })
})
