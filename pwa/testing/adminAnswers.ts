import {
  adminLoginStatus,
  adminLogout,
  adminOtpStatus,
  type IpAccess,
  getAdminCredentials,
  getAdminUser,
  getIpAccess,
} from '#shared/contract/admin/access.ts'
import { type FakeApi, unauthorized } from './fakeApi.ts'

export const someIpAccess = (changes: Partial<IpAccess> = {}): IpAccess => ({
  isRestricted: true,
  currentIP: '10.0.0.7',
  allowedIPs: ['10.0.0.7'],
  initialIPs: ['10.0.0.7'],
  maxIPs: 2,
  ...changes,
})

interface BackOffice {
  isLoggedIn?: boolean
  otpEnabled?: boolean
  ipAccess?: Partial<IpAccess>
}

/** The calls that every page of the back office makes: an administrator is logged in unless told otherwise. Answers a door to close. */
export function answerBackOffice(api: FakeApi, { isLoggedIn = true, otpEnabled = false, ipAccess }: BackOffice = {}) {
  const session = { isLoggedIn, username: 'keeper' }
  api.answer(adminLoginStatus, () =>
    session.isLoggedIn
      ? { isLoggedIn: true, loginTime: new Date('2026-11-20T07:31:00Z'), username: session.username }
      : { isLoggedIn: false, loginTime: null, username: null },
  )
  api.answer(getAdminUser, () => {
    if (!session.isLoggedIn) throw unauthorized()
    return { username: session.username, adminId: '01936b2a-7c00-7000-8000-0000000000aa' }
  })
  api.answer(adminLogout, () => {
    session.isLoggedIn = false
    return { message: 'Logged out.' }
  })
  api.answer(adminOtpStatus, () => ({ otpEnabled }))
  api.answer(getIpAccess, () => someIpAccess(ipAccess))
  api.answer(getAdminCredentials, () => ({ username: session.username }))
  return session
}
