import { randomBytes } from 'node:crypto'
import type { PrivateKeyAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import * as identity from '#shared/contract/identity.ts'
import * as otpContract from '#shared/contract/otp.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { DAY } from '#shared/dates.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { newId } from '#api/platform/db/newId.ts'
import { CaptchaMark } from '#api/entities/CaptchaMark.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { User } from '#api/entities/User.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { hashSessionId } from '#api/platform/http/namedSession.ts'
import { visitorKeyOf } from '#api/platform/http/visitorCookie.ts'
import { decryptSecret } from '#api/accounts/otp/encryptSecret.ts'
import { makeUser, TEST_ENCRYPTION_KEY, TEST_PASSWORD, type UserOptions } from './factories.ts'
import { mailedCode } from './mails.ts'
import type { TestBrowser, TestServer } from './server.ts'
import { type TestAuthenticator, testAuthenticator } from './testAuthenticator.ts'

export interface Buyer extends TestAuthenticator {
  user: User
  /** Logged in. */
  browser: TestBrowser
  wallet: PrivateKeyAccount
  /** The key of the session in its related rows. */
  sessionKey: string
  /** Authorizes one purchase of the session, as a verified code does. */
  grantMark(): Promise<void>
}

export interface BuyerOptions extends Pick<UserOptions, 'email' | 'proven' | 'registeredAt'> {
  /** Whether the authenticator is enabled; true by default. */
  otp?: boolean
  /** Null registers no wallet. */
  wallet?: PrivateKeyAccount | null
}

/** Inserts a buyer into the database: logged in, authenticator enabled, wallet registered and proven. */
export async function makeBuyer(server: TestServer, { wallet, otp = true, ...options }: BuyerOptions = {}): Promise<Buyer> {
  const { orm } = server.services
  const account = wallet ?? privateKeyToAccount(generatePrivateKey())
  const em = orm.em.fork()
  const { user, otpSecret } = await makeUser(em, {
    ...options,
    otp,
    wallet: wallet === null ? undefined : account.address,
    now: server.clock.now(),
  })
  const browser = server.openBrowser()
  const sessionKey = await logIn(server, browser, user)
  return { user, browser, wallet: account, sessionKey, ...actionsOf(server, { userId: user.id, sessionKey, otpSecret }) }
}

/** A buyer of the database, logged in again. */
export async function returnBuyer(server: TestServer, { user, wallet }: Pick<Buyer, 'user' | 'wallet'>): Promise<Buyer> {
  const browser = server.openBrowser()
  const sessionKey = await logIn(server, browser, user)
  const key = { encryptionKey: TEST_ENCRYPTION_KEY, owner: user.id }
  const otpSecret = user.otpSecret ? decryptSecret(user.otpSecret, key) : undefined
  return { user, browser, wallet, sessionKey, ...actionsOf(server, { userId: user.id, sessionKey, otpSecret }) }
}

/** Creates a buyer through the HTTP endpoints: mailed code, password, authenticator, signature of the wallet. */
export async function signUpBuyer(server: TestServer): Promise<Buyer> {
  const { orm } = server.services
  const browser = server.openBrowser()
  const wallet = privateKeyToAccount(generatePrivateKey())
  const email = `${newId()}@example.com`
  await browser.call(identity.sendVerificationCode, { body: { email } })
  await browser.call(identity.verifyCode, { body: { email, code: await mailedCode({ orm }, email) } })
  await browser.call(identity.register, { body: { email, password: TEST_PASSWORD } })
  const user = await orm.em.fork().findOneOrFail(User, { email })
  const { key: sessionKey } = await orm.em.fork().findOneOrFail(WebSession, { accountId: user.id })

  const { secret } = await browser.call(otpContract.setupOtp, { body: {} })
  const actions = actionsOf(server, { userId: user.id, sessionKey, otpSecret: secret })
  await browser.call(otpContract.enableOtp, { body: { secret, token: await actions.code() } })

  const message = walletProofMessage({
    host: new URL(server.url).host,
    email,
    address: wallet.address,
    timestamp: server.clock.now().toISOString(),
  })
  const signature = await wallet.signMessage({ message })
  await browser.call(updateWallet, { body: { walletAddress: wallet.address, message, signature } })
  return { user, browser, wallet, sessionKey, ...actions }
}

function actionsOf(
  server: TestServer,
  { userId, sessionKey, otpSecret }: { userId: string; sessionKey: string; otpSecret: string | undefined },
): TestAuthenticator & Pick<Buyer, 'grantMark'> {
  return {
    ...testAuthenticator(server, otpSecret),
    async grantMark() {
      const em = server.services.orm.em.fork()
      em.create(StepUpMark, { user: userId, sessionKey, grantedAt: server.clock.now() })
      await em.flush()
    },
  }
}

/** Logs a browser in and returns the key of its session. */
export const logIn = (server: TestServer, browser: TestBrowser, user: User): Promise<string> =>
  beginSession(server, browser, { accountId: user.id, accountEpoch: user.sessionEpoch })

async function beginSession(
  server: TestServer,
  browser: TestBrowser,
  account: { accountId: string; accountEpoch: number },
): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  const key = newId()
  const em = server.services.orm.em.fork()
  em.create(WebSession, {
    idHash: hashSessionId(id),
    realm: 'user',
    key,
    ...account,
    data: { key, ...account },
    createdAt: new Date(),
    lastSeenAt: new Date(),
    expiresAt: new Date(Date.now() + 7 * DAY),
  })
  await em.flush()
  browser.setCookie('user_session', id)
  return key
}

/** Gives the session of a browser, or the visitor without one, an unused solved captcha. */
export async function grantCaptcha(server: TestServer, browser: TestBrowser): Promise<void> {
  const em = server.services.orm.em.fork()
  const id = browser.cookie('user_session')
  const sessionKey = id ? (await em.findOneOrFail(WebSession, { idHash: hashSessionId(id) })).key : visitorKeyIn(browser)
  em.create(CaptchaMark, { sessionKey, tokenHash: randomBytes(32).toString('hex'), grantedAt: server.clock.now() })
  await em.flush()
}

function visitorKeyIn(browser: TestBrowser): string {
  const token = browser.cookie('visitor') ?? randomBytes(32).toString('base64url')
  browser.setCookie('visitor', token)
  return visitorKeyOf(token)
}
