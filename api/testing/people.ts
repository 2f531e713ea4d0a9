import { randomBytes } from 'node:crypto'
import { generate } from 'otplib'
import type { PrivateKeyAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import * as identity from '#shared/contract/identity.ts'
import * as otpContract from '#shared/contract/otp.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { DAY, SECOND } from '#shared/dates.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { newId } from '#api/platform/db/newId.ts'
import { CaptchaMark } from '#api/entities/CaptchaMark.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { User } from '#api/entities/User.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { hashSessionId } from '#api/platform/http/namedSession.ts'
import { TIME_STEP, timeStepOf } from '#api/accounts/otp/findTimeStep.ts'
import { makeUser, TEST_PASSWORD, type UserOptions } from './factories.ts'
import { mailedCode } from './mails.ts'
import type { TestBrowser, TestServer } from './server.ts'

export interface Buyer {
  user: User
  /** Logged in. */
  browser: TestBrowser
  wallet: PrivateKeyAccount
  /** Names the session in rows that belong to it. */
  sessionKey: string
  /** Lets the session make one purchase, as a verified code does. */
  grantMark(): Promise<void>
  /** A code of the authenticator that was not given before; moves the clock if it must. */
  code(): Promise<string>
  /** The code that the authenticator shows so many milliseconds from now. */
  codeAt(ahead: number): Promise<string>
}

export interface BuyerOptions extends Pick<UserOptions, 'email' | 'proven' | 'registeredAt'> {
  /** The authenticator is enabled unless this is false. */
  otp?: boolean
  /** Null registers none. */
  wallet?: PrivateKeyAccount | null
}

/** Somebody who may buy: logged in, authenticator enabled, wallet registered and proven. Written straight into the database. */
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
  return { user, browser, wallet: account, sessionKey, ...abilities(server, { userId: user.id, sessionKey, otpSecret }) }
}

/** The same person by the way a newcomer goes: mailed code, password, authenticator, signature of the wallet, each over HTTP. */
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

  const { secret } = await browser.call(otpContract.setupOtp, {})
  const able = abilities(server, { userId: user.id, sessionKey, otpSecret: secret })
  await browser.call(otpContract.enableOtp, { body: { secret, token: await able.code() } })

  const message = walletProofMessage({
    host: new URL(server.url).host,
    email,
    address: wallet.address,
    timestamp: server.clock.now().toISOString(),
  })
  const signature = await wallet.signMessage({ message })
  await browser.call(updateWallet, { body: { walletAddress: wallet.address, message, signature } })
  return { user, browser, wallet, sessionKey, ...able }
}

function abilities(
  server: TestServer,
  { userId, sessionKey, otpSecret }: { userId: string; sessionKey: string; otpSecret: string | undefined },
): Pick<Buyer, 'grantMark' | 'code' | 'codeAt'> {
  let lastStep = 0
  const codeAt = async (ahead: number): Promise<string> => {
    if (!otpSecret) throw new Error('This person has no authenticator.')
    return generate({ secret: otpSecret, epoch: Math.floor((server.clock.now().getTime() + ahead) / SECOND) })
  }
  return {
    codeAt,
    async code() {
      if (timeStepOf(server.clock.now()) <= lastStep) server.clock.advance(TIME_STEP)
      lastStep = timeStepOf(server.clock.now())
      return codeAt(0)
    },
    async grantMark() {
      const em = server.services.orm.em.fork()
      em.create(StepUpMark, { user: userId, sessionKey, grantedAt: server.clock.now() })
      await em.flush()
    },
  }
}

/** Gives a browser a session of the account and answers its key. */
export const logIn = (server: TestServer, browser: TestBrowser, user: User): Promise<string> =>
  beginSession(server, browser, { accountId: user.id, accountEpoch: user.sessionEpoch })

async function beginSession(
  server: TestServer,
  browser: TestBrowser,
  account: { accountId?: string; accountEpoch?: number } = {},
): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  const key = newId()
  const em = server.services.orm.em.fork()
  em.create(WebSession, {
    idHash: hashSessionId(id),
    realm: 'user',
    key,
    accountId: account.accountId ?? null,
    accountEpoch: account.accountEpoch ?? null,
    data: { key, ...account },
    createdAt: new Date(),
    lastSeenAt: new Date(),
    expiresAt: new Date(Date.now() + 7 * DAY),
  })
  await em.flush()
  browser.setCookie('user_session', id)
  return key
}

/** Gives a browser's session, begun if it has none, a solved captcha that no call has used yet. */
export async function grantCaptcha(server: TestServer, browser: TestBrowser): Promise<void> {
  const em = server.services.orm.em.fork()
  const id = browser.cookie('user_session')
  const key = id ? (await em.findOneOrFail(WebSession, { idHash: hashSessionId(id) })).key : await beginSession(server, browser)
  em.create(CaptchaMark, { sessionKey: key, tokenHash: randomBytes(32).toString('hex'), grantedAt: server.clock.now() })
  await em.flush()
}
