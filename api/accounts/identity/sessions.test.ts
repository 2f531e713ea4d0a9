import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { EVENTS_PATH } from '#shared/contract/events.ts'
import { getAuthUser, login, logout } from '#shared/contract/identity.ts'
import { renewRecoveryCodes, verifyOtp } from '#shared/contract/otp.ts'
import { changePassword } from '#shared/contract/password.ts'
import { listPurchases } from '#shared/contract/purchases.ts'
import { endOtherSessions, listSessions } from '#shared/contract/sessions.ts'
import { DAY } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser, TEST_PASSWORD } from '#api/testing/factories.ts'
import { listenToEvents } from '#api/testing/listenToEvents.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { logIn, makeBuyer, signUpBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'

const database = useDatabase()

const whoAmI = (browser: TestBrowser) => browser.call(getAuthUser, {})
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36'

const logInFrom = (server: TestServer, browser: TestBrowser, email: string) =>
  browser.fetch(server.url + login.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': ANDROID },
    body: JSON.stringify({ email, password: TEST_PASSWORD }),
  })

describe('the list of sessions', () => {
  test('shows each with device, address and last use; the session of the request first', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    const phone = server.openBrowser()
    await logInFrom(server, phone, user.email)
    const stranger = await makeBuyer(server)

    const listed = await browser.call(listSessions, {})

    expect(listed).toMatchObject([
      { current: true },
      { current: false, device: 'Chrome on Android', ip: '127.0.0.1', lastSeen: expect.any(Date) },
    ])
    expect(await phone.call(listSessions, {})).toMatchObject([{ current: true, device: 'Chrome on Android' }, { current: false }])
    expect(await stranger.browser.call(listSessions, {})).toHaveLength(1)
    for (const cookie of [browser, phone].map((one) => one.cookie('user_session')!))
      expect(JSON.stringify(listed)).not.toContain(cookie)
  })

  /** Makes the next use of the account's sessions due for writing. */
  const letSessionsAge = (userId: string) =>
    sql(
      database.orm.em.fork(),
      `update web_sessions set last_seen_at = now() - interval '1 hour', ip_address = '203.0.113.7' where account_id = $1`,
      [userId],
    )
  const lastUse = async (browser: TestBrowser) => {
    const [session] = await browser.call(listSessions, {})
    return { ip: session!.ip, isRecent: session!.lastSeen.getTime() > Date.now() - 60_000 }
  }

  test('the use of a session updates its time and address', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    await letSessionsAge(user.id)

    await whoAmI(browser)

    await expect.poll(() => lastUse(browser)).toEqual({ ip: '127.0.0.1', isRecent: true })
  })

  test('an owner is answered while the use of the session cannot be written, in a call and in a stream', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    await letSessionsAge(user.id)
    const away = database.superuser.em.fork()
    await away.begin()
    onTestFinished(() => away.rollback().catch(() => {}))
    await sql(away, 'lock table web_sessions in share mode')

    expect(await whoAmI(browser)).toMatchObject({ id: user.id })
    const stream = await listenToEvents(server, browser)
    expect(await lastUse(browser)).toEqual({ ip: '203.0.113.7', isRecent: false })
    stream.leave()

    await away.commit()
    await expect.poll(() => lastUse(browser)).toEqual({ ip: '127.0.0.1', isRecent: true })
  })

  test('a failure to write the use of a session fails no call', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    await letSessionsAge(user.id)
    const em = database.superuser.em.fork()
    await sql(em, `alter table web_sessions add constraint unseen check (ip_address <> '127.0.0.1') not valid`)
    const allow = () => sql(em, 'alter table web_sessions drop constraint if exists unseen')
    onTestFinished(async () => void (await allow()))

    expect(await whoAmI(browser)).toMatchObject({ id: user.id })

    await allow()
    await expect.poll(() => lastUse(browser)).toEqual({ ip: '127.0.0.1', isRecent: true })
  })

  test.each([2, -2])('a session lasts as long at a server whose clock is wrong by %i days, begun and extended', async (days) => {
    const server = await startServer(database)
    const { user } = await makeBuyer(server)
    const em = database.orm.em.fork()
    const lifetime = async () => {
      const [row] = await sql<{ days: number }>(
        em,
        'select round(extract(epoch from expires_at - now()) / 86400)::int as days from web_sessions where account_id = $1',
        [user.id],
      )
      return row!.days
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY })
    onTestFinished(() => void vi.useRealTimers())
    await sql(em, 'delete from web_sessions where account_id = $1', [user.id])
    const browser = server.openBrowser()
    await browser.call(login, { body: { email: user.email, password: TEST_PASSWORD } })
    expect(await lifetime()).toBe(7)

    await sql(
      em,
      `update web_sessions set expires_at = now() + interval '1 day', data = jsonb_set(data, '{_expire}', to_jsonb($2::bigint))
       where account_id = $1`,
      [user.id, Date.now() + DAY],
    )
    await whoAmI(browser)
    await expect.poll(lifetime).toBe(7)
  })

  test('a failure to extend a session fails no call, and the next one extends it', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    const em = database.superuser.em.fork()
    const end = new Date(Date.now() + DAY)
    await sql(
      em,
      `update web_sessions set expires_at = $2, data = jsonb_set(data, '{_expire}', to_jsonb($3::bigint)) where account_id = $1`,
      [user.id, end, end.getTime()],
    )
    const daysLeft = async () => {
      const [row] = await sql<{ days: number }>(
        em,
        'select round(extract(epoch from expires_at - now()) / 86400)::int as days from web_sessions where account_id = $1',
        [user.id],
      )
      return row!.days
    }
    await sql(em, `alter table web_sessions add constraint brief check (expires_at <= '${end.toISOString()}') not valid`)
    const allow = () => sql(em, 'alter table web_sessions drop constraint if exists brief')
    onTestFinished(async () => void (await allow()))

    expect(await whoAmI(browser)).toMatchObject({ id: user.id })
    expect(await daysLeft()).toBe(1)

    await allow()
    await whoAmI(browser)
    await expect.poll(daysLeft).toBe(7)
  })
})

describe('logging out everywhere else', () => {
  test('ends all other sessions of the account, keeps this one and those of other accounts, and is audited', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    const others = [server.openBrowser(), server.openBrowser()]
    for (const other of others) await logIn(server, other, user)
    const stranger = await makeBuyer(server)

    expect(await browser.call(endOtherSessions, {})).toMatchObject({ ended: 2 })

    for (const other of others) await expect(whoAmI(other)).rejects.toMatchObject({ status: 401 })
    expect(await whoAmI(browser)).toMatchObject({ id: user.id })
    await whoAmI(stranger.browser)
    const audited = { actor: `user:${user.email}`, action: 'sessions.end_others' }
    expect(await database.orm.em.fork().count(AuditEntry, audited)).toBe(1)
    expect(await browser.call(endOtherSessions, {})).toMatchObject({ ended: 0 })
  })
})

describe('the event stream of an ended session', () => {
  /** Publishes recorded changes to the open streams, like the notifier. */
  async function publishRecorded({ services: { orm, events } }: TestServer) {
    const changes = await sql<{ user_id: string; keys: string[] }>(
      orm.em.fork(),
      'delete from change_events where user_id is not null returning user_id, keys',
    )
    for (const { user_id, keys } of changes) events.publish({ all: [], users: { [user_id]: keys } })
  }

  /** Opens the stream and returns a promise of its end. */
  async function openStream(server: TestServer, browser: TestBrowser): Promise<{ ended: Promise<void>; leave: () => void }> {
    // Without the regular session check, only the notification of the end can close it.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const leaving = new AbortController()
    const response = await browser.fetch(server.url + EVENTS_PATH, { signal: leaving.signal })
    const read = async () => {
      for await (const _ of response.body!);
    }
    return { ended: read(), leave: () => leaving.abort() }
  }

  const endings: Record<string, (browser: TestBrowser, other: TestBrowser) => Promise<unknown>> = {
    'logging out': (_, other) => other.call(logout, {}),
    'logging out everywhere else': (browser) => browser.call(endOtherSessions, {}),
    'a changed password': (browser) =>
      browser.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: 'An0ther(word)' } }),
  }

  test.for(Object.entries(endings))('closes at once at %s', async ([, end]) => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    const other = server.openBrowser()
    await logIn(server, other, user)
    const stream = await openStream(server, other)

    await end(browser, other)
    await publishRecorded(server)

    await stream.ended
  })

  test('the streams of other sessions stay open', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    const other = server.openBrowser()
    await logIn(server, other, user)
    const [mine, theirs] = [await openStream(server, browser), await openStream(server, other)]
    let hasEnded = false
    const mineEnded = mine.ended.then(
      () => void (hasEnded = true),
      () => {},
    )

    await browser.call(endOtherSessions, {})
    await publishRecorded(server)
    await theirs.ended

    expect(hasEnded).toBe(false)
    mine.leave()
    await mineEnded
  })
})

describe('the ID of a session', () => {
  test('changes at a login and after a correct code; a copy of the previous ID is invalid', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const { browser } = buyer
    const thief = server.openBrowser()
    for (const step of [
      () => browser.call(login, { body: { email: buyer.user.email, password: TEST_PASSWORD } }),
      async () => browser.call(verifyOtp, { body: { token: await buyer.code() } }),
    ]) {
      const before = browser.cookie('user_session')!
      await step()
      expect(browser.cookie('user_session')).not.toBe(before)
      thief.setCookie('user_session', before)
      await expect(whoAmI(thief)).rejects.toMatchObject({ status: 401 })
      await whoAmI(browser)
    }
  })

  test('is not given back by the answer of a request that began before the change and extends the session', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const inADay = Date.now() + DAY
    await sql(
      database.orm.em.fork(),
      `update web_sessions set data = jsonb_set(data, '{_expire}', to_jsonb($1::bigint)) where key = $2`,
      [inADay, buyer.sessionKey],
    )
    const before = buyer.browser.cookie('user_session')

    const early = await database.orm.em.fork().transactional(async (em) => {
      await sql(em, 'lock table purchases')
      const early = buyer.browser.call(listPurchases, {})
      await untilLockWaits(database)
      await buyer.browser.call(verifyOtp, { body: { token: await buyer.code() } })
      return { early }
    })
    await early.early

    expect(buyer.browser.cookie('user_session')).not.toBe(before)
    await whoAmI(buyer.browser)
  })

  test('a browser whose session gets a new id from two requests at once stays logged in', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    await buyer.grantMark()
    const [first, second] = (await buyer.browser.call(renewRecoveryCodes, {})).codes

    // Both have read the session when the first of them replaces its id.
    const { answers } = await database.orm.em.fork().transactional(async (em) => {
      await sql(em, 'select from users where id = $1 for update', [buyer.user.id])
      const answers = Promise.all([first, second].map((token) => buyer.browser.call(verifyOtp, { body: { token: token! } })))
      await Promise.race([answers, untilLockWaits(database, 2)])
      return { answers }
    })
    await answers

    await whoAmI(buyer.browser)
    expect(await database.orm.em.fork().count(WebSession, { accountId: buyer.user.id })).toBe(1)
  })

  test('a session that ends while a code is verified stays ended', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const other = server.openBrowser()
    await logIn(server, other, buyer.user)
    const token = await buyer.code()

    // The code's verification waits for the account's row; meanwhile the session ends.
    const [locked, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = database.orm.em.fork().transactional(async (em) => {
      await sql(em, 'select from users where id = $1 for update', [buyer.user.id])
      locked.resolve()
      await waited.promise
      await sql(em, 'delete from web_sessions where key = $1', [buyer.sessionKey])
    })
    await locked.promise
    const answer = buyer.browser.call(verifyOtp, { body: { token } })
    answer.catch(() => {})
    await untilLockWaits(database)
    waited.resolve()
    await holding
    await expect(answer).rejects.toMatchObject({ status: 401 })

    await expect(whoAmI(buyer.browser)).rejects.toMatchObject({ status: 401 })
    expect(await database.orm.em.fork().count(WebSession, { accountId: buyer.user.id })).toBe(1)
  })
})

test('a session whose id is being replaced is ended by “end other sessions”', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const phone = server.openBrowser()
  await logIn(server, phone, buyer.user)
  const superuser = database.superuser.em.fork()
  await sql(
    superuser,
    `create function wait_before_insert() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock(4711); return new; end'`,
  )
  await sql(superuser, `create trigger waits before insert on web_sessions for each row execute function wait_before_insert()`)
  onTestFinished(() => sql(superuser, 'drop function wait_before_insert cascade').then(() => {}))

  // A new row would be inserted only once the others have been ended.
  const { answer } = await database.orm.em.fork().transactional(async (em) => {
    await sql(em, 'select pg_advisory_xact_lock(4711)')
    const answer = buyer.browser.call(verifyOtp, { body: { token: await buyer.code() } })
    await Promise.race([answer, untilLockWaits(database)])
    await phone.call(endOtherSessions, {})
    return { answer }
  })
  await answer

  await expect(whoAmI(buyer.browser)).rejects.toMatchObject({ status: 401 })
})

describe('a login from an unknown browser', () => {
  const newLogins = async (email: string) =>
    (await mailsTo(database, email)).filter(({ subject }) => subject === 'New login to your account')

  test('is emailed to the owner with the browser’s details; a known browser’s is not', async () => {
    const server = await startServer(database)
    const { browser, user } = await signUpBuyer(server)
    expect(await newLogins(user.email)).toEqual([])
    await browser.call(logout, {})
    await browser.call(login, { body: { email: user.email, password: TEST_PASSWORD } })
    expect(await newLogins(user.email)).toEqual([])
    const phone = server.openBrowser()

    await logInFrom(server, phone, user.email)
    await logInFrom(server, phone, user.email)

    const [mail, ...more] = await newLogins(user.email)
    expect(more).toEqual([])
    expect(mail!.text).toContain('Device: Chrome on Android')
    expect(mail!.text).toContain('IP address: 127.0.0.1')
  })

  test('a sign-up causes no email, and known browsers are separate for each account', async () => {
    const server = await startServer(database)
    const [first, second] = [await signUpBuyer(server), await signUpBuyer(server)]
    expect([...(await newLogins(first.user.email)), ...(await newLogins(second.user.email))]).toEqual([])

    await logInFrom(server, first.browser, second.user.email)

    expect(await newLogins(second.user.email)).toHaveLength(1)
  })

  test('is emailed though no browser of the account is known any more', async () => {
    const server = await startServer(database)
    const { browser, user } = await signUpBuyer(server)
    await sql(database.orm.em.fork(), 'delete from known_devices where user_id = $1', [user.id])

    await logInFrom(server, browser, user.email)

    expect(await newLogins(user.email)).toHaveLength(1)
  })

  test('a changed password makes all browsers unknown but the one that changed it, and forgets who has shown a code', async () => {
    const server = await startServer(database)
    const { browser, user, code } = await signUpBuyer(server)
    const phone = server.openBrowser()
    await logInFrom(server, phone, user.email)
    for (const one of [browser, phone]) await one.call(verifyOtp, { body: { token: await code() } })
    expect(await newLogins(user.email)).toHaveLength(1)
    const haveShownCode = () =>
      sql(database.orm.em.fork(), 'select from known_devices where user_id = $1 and code_shown_at is not null', [user.id])
    expect(await haveShownCode()).toHaveLength(2)

    const newPassword = 'An0ther(word)'
    await browser.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword } })
    for (const one of [browser, phone, phone]) await one.call(login, { body: { email: user.email, password: newPassword } })

    expect(await newLogins(user.email)).toHaveLength(2)
    expect(await haveShownCode()).toHaveLength(1)
  })

  test('is emailed in the account’s previous language; later emails use the page’s', async () => {
    const server = await startServer(database)
    const { user, browser } = await makeBuyer(server)
    const page = (language: string) => ({ headers: { 'accept-language': language } })
    const logInOn = (browser: TestBrowser, language: string) =>
      browser.call(login, { body: { email: user.email, password: TEST_PASSWORD } }, page(language))
    const newest = async () => (await mailsTo(database, user.email))[0]
    await logInOn(browser, 'en')

    await logInOn(server.openBrowser(), 'ko')
    expect(await newest()).toMatchObject({ subject: 'New login to your account', html: expect.stringContaining('lang="en"') })
    await logInOn(server.openBrowser(), 'en')
    expect(await newest()).toMatchObject({
      subject: '계정에 새로운 로그인이 있었습니다',
      html: expect.stringContaining('lang="ko"'),
      text: expect.stringContaining('IP 주소: 127.0.0.1'),
    })
    await logInOn(server.openBrowser(), 'ko')
    expect(await newest()).toMatchObject({ subject: 'New login to your account' })
  })

  test('a wrong password causes no email', async () => {
    const server = await startServer(database)
    const { user } = await signUpBuyer(server)
    const body = { email: user.email, password: 'Wr0ng!word' }

    await expect(server.openBrowser().call(login, { body })).rejects.toMatchObject({ code: 'invalid_credentials' })

    expect(await newLogins(user.email)).toEqual([])
  })

  test('the browser is identified by a long-lived cookie that scripts cannot read', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())

    const answer = await logInFrom(server, server.openBrowser(), user.email)

    const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('browser='))!
    expect(cookie).toMatch(/^browser=[\w-]{43}; path=\/; expires=[^;]+; samesite=lax; httponly$/i)
    const expires = new Date(/expires=([^;]+)/i.exec(cookie)![1]!)
    expect(expires.getTime()).toBeGreaterThan(Date.now() + 390 * 86_400_000)
  })
})
