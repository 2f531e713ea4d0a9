import { generateSecret } from 'otplib'
import type { AdminRole } from '#shared/adminRoles.ts'
import * as contract from '#shared/contract/admin/login.ts'
import { DAY } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { Administrator } from '#api/entities/Administrator.ts'
import { encryptSecret } from '#api/accounts/otp/encryptSecret.ts'
import { TEST_ENCRYPTION_KEY, TEST_PASSWORD, TEST_PASSWORD_HASH } from './factories.ts'
import type { TestBrowser, TestServer } from './server.ts'
import { type TestAuthenticator, testAuthenticator } from './testAuthenticator.ts'

export interface TestAdministrator extends Pick<TestAuthenticator, 'code' | 'wrongCode'> {
  id: string
  username: string
}

/**
 * Inserts an administrator with `TEST_PASSWORD` into the database. Without a role it becomes the only owner, for whom calls take effect at
 * once: owners from before become administrators for finance.
 */
export async function makeAdministrator(
  server: TestServer,
  { otp = false, username = `admin-${newId()}`, role }: { otp?: boolean; username?: string; role?: AdminRole } = {},
): Promise<TestAdministrator> {
  const id = newId()
  const secret = otp ? generateSecret() : undefined
  const em = server.services.orm.em.fork()
  if (role === undefined) await em.nativeUpdate(Administrator, { role: 'owner' }, { role: 'finance' })
  em.create(Administrator, {
    id,
    username,
    role: role ?? 'owner',
    passwordHash: TEST_PASSWORD_HASH,
    otpSecret: secret ? encryptSecret(secret, { encryptionKey: TEST_ENCRYPTION_KEY, owner: id }) : null,
    // Before the session of any browser, whatever the test's clock.
    otpEnabledAt: secret ? new Date(server.clock.now().getTime() - DAY) : null,
    createdAt: server.clock.now(),
  })
  await em.flush()

  return { id, username, ...testAuthenticator(server, secret) }
}

/** Logs in with the password, and the code if required. */
export async function logInAdministrator(browser: TestBrowser, administrator: TestAdministrator): Promise<void> {
  const body = { username: administrator.username, password: TEST_PASSWORD }
  const { requiresOtp } = await browser.call(contract.adminLogin, { body })
  if (requiresOtp) await browser.call(contract.adminVerifyOtp, { body: { token: await administrator.code() } })
}

/** An administrator with a logged-in browser. */
export async function openAdministrator(
  server: TestServer,
  options?: { otp?: boolean; username?: string; role?: AdminRole },
): Promise<TestAdministrator & { browser: TestBrowser }> {
  const administrator = await makeAdministrator(server, options)
  const browser = server.openBrowser()
  await logInAdministrator(browser, administrator)
  return { ...administrator, browser }
}
