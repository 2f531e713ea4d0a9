import { type AdministratorRow, listAdministrators } from '#shared/contract/admin/administrators.ts'
import type { AdminRole } from '#shared/adminRoles.ts'
import {
  adminLoginStatus,
  adminLogout,
  adminOtpStatus,
  type IpAccess,
  getAdminCredentials,
  getAdminUser,
  getIpAccess,
} from '#shared/contract/admin/login.ts'
import { listAdminPasskeys } from '#shared/contract/admin/passkeys.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { listIncidents } from '#shared/contract/admin/incidents.ts'
import { listAnnouncements } from '#shared/contract/admin/announcements.ts'
import { type AdminUserRow, listUsers, searchUsers, summarizeUsers } from '#shared/contract/admin/users.ts'
import {
  type AdminWithdrawal,
  listAdminWithdrawals,
  searchAdminWithdrawals,
  summarizeWithdrawals,
  type WithdrawalFilter,
} from '#shared/contract/admin/withdrawals.ts'
import { type AuditRow, listAudit } from '#shared/contract/admin/audit.ts'
import {
  getPerson,
  listPersonAudit,
  listPersonHolds,
  listPersonDeposits,
  listPersonInbox,
  listPersonMails,
  listPersonNodes,
  listPersonPurchases,
  listPersonRewards,
  listPersonWallets,
  listPersonWithdrawals,
  listUserNotes,
  type Person,
} from '#shared/contract/admin/person.ts'
import {
  type AdminStats,
  getAdminStats,
  getHealth,
  getPayoutCaps,
  listRewardRates,
  type RewardRate,
} from '#shared/contract/admin/office.ts'
import { getWaiting, type Waiting } from '#shared/contract/admin/waiting.ts'
import { amountOf, someWithdrawal } from './answers.ts'
import { type FakeApi, unauthorized } from './fakeApi.ts'

export const someAdministrator = (changes: Partial<AdministratorRow> = {}): AdministratorRow => ({
  id: '01936b2a-7c00-7000-8000-0000000000aa',
  username: 'keeper',
  email: null,
  role: 'owner',
  factors: ['code'],
  createdAt: new Date('2026-11-20T07:00:00Z'),
  lastSeenAt: new Date('2026-11-20T07:31:00Z'),
  ...changes,
})

export const someAdminUser = (changes: Partial<AdminUserRow> = {}): AdminUserRow => ({
  id: '01936b2a-7c00-7000-8000-000000000001',
  email: 'mara@example.com',
  walletAddress: '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c',
  totalNodes: 10,
  availableXcr: amountOf('1100.5'),
  totalEarnedXcr: amountOf('4100.5'),
  isAdmin: false,
  createdAt: new Date('2026-11-20T23:31:00Z'),
  ...changes,
})

export const someAdminWithdrawal = (changes: Partial<AdminWithdrawal> = {}): AdminWithdrawal => ({
  ...someWithdrawal(),
  userId: '01936b2a-7c00-7000-8000-000000000001',
  reviewReason: null,
  adminNotes: null,
  hasAttempts: false,
  account: { frozenAt: null, thawsAt: null, heldUntil: null },
  ...changes,
})

export const someAdminStats = (changes: Partial<AdminStats> = {}): AdminStats => ({
  totalUsers: 1234,
  totalNodesSold: 330,
  paidNodesSold: 300,
  bonusNodesGiven: 30,
  totalRevenue: amountOf('900'),
  pendingReviews: 2,
  allWaiting: 0,
  vestingStartDate: null,
  ...changes,
})

/** The total is the sum, as the server counts it. */
export function someWaiting(changes: Partial<Waiting> = {}): Waiting {
  const counts = {
    withdrawals: 0,
    holds: 0,
    reviews: 0,
    proposals: 0,
    stoppedPayouts: 0,
    lowWallets: 0,
    differences: 0,
    failingTasks: 0,
    ...changes,
  }
  return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count) }
}

/** The paging fields of a partial list. */
export const pagingOf = (totalCount: number, { offset, limit }: { offset: number; limit: number }) => {
  const currentPage = offset / limit + 1
  const totalPages = Math.ceil(totalCount / limit)
  return { totalCount, currentPage, totalPages, hasNextPage: currentPage < totalPages, hasPrevPage: currentPage > 1 }
}

/** Fakes the list of users; a search compares e-mails. Returns the requests. */
export function answerUsers(api: FakeApi, users: readonly AdminUserRow[]) {
  const requests: { email?: string; limit: number; offset: number }[] = []
  const pageOf = (query: { email?: string; limit: number; offset: number }) => {
    requests.push(query)
    const found = users.filter(({ email }) => email.includes(query.email ?? ''))
    return { users: found.slice(query.offset, query.offset + query.limit), ...pagingOf(found.length, query) }
  }
  api.answer(listUsers, ({ query }) => pageOf(query))
  api.answer(searchUsers, ({ query }) => pageOf(query))
  api.answer(summarizeUsers, ({ query }) => {
    const found = users.filter(({ email }) => email.includes(query.email ?? ''))
    return {
      count: found.length,
      nodes: found.reduce((sum, { totalNodes }) => sum + totalNodes, 0),
      availableXcr: found.reduce((sum, { availableXcr }) => sum + availableXcr, 0n),
      totalEarnedXcr: found.reduce((sum, { totalEarnedXcr }) => sum + totalEarnedXcr, 0n),
    }
  })
  return requests
}

interface WithdrawalStats {
  dailyStats?: { date: string; totalAmount: bigint; totalCount: number }[]
  totalStats?: { totalAmount: bigint; totalCount: number }
}

interface WithdrawalQuery {
  email?: string
  status?: WithdrawalFilter | undefined
  limit: number
  offset: number
}

/** Fakes the list of withdrawals; a search compares e-mails. Returns the requests. */
export function answerAdminWithdrawals(
  api: FakeApi,
  withdrawals: readonly AdminWithdrawal[],
  { dailyStats = [], totalStats = { totalAmount: 0n, totalCount: 0 } }: WithdrawalStats = {},
) {
  const requests: WithdrawalQuery[] = []
  const pageOf = (query: WithdrawalQuery) => {
    requests.push(query)
    const found = withdrawals.filter(({ userEmail }) => userEmail.includes(query.email ?? ''))
    const part = found.slice(query.offset, query.offset + query.limit)
    return { withdrawals: part, ...pagingOf(found.length, query), dailyStats, totalStats }
  }
  api.answer(listAdminWithdrawals, ({ query }) => pageOf(query))
  api.answer(searchAdminWithdrawals, ({ query }) => pageOf(query))
  api.answer(summarizeWithdrawals, ({ query }) => {
    const found = withdrawals.filter(({ userEmail }) => userEmail.includes(query.email ?? ''))
    return {
      count: found.length,
      amount: found.reduce((sum, { amount }) => sum + amount, 0n),
      fees: found.reduce((sum, { feeAmount }) => sum + feeAmount, 0n),
    }
  })
  return requests
}

export const someIpAccess = (changes: Partial<IpAccess> = {}): IpAccess => ({
  isRestricted: true,
  currentIP: '10.0.0.7',
  allowedIPs: ['10.0.0.7'],
  initialIPs: ['10.0.0.7'],
  maxIPs: 2,
  ...changes,
})

export const someRate = (changes: Partial<RewardRate> = {}): RewardRate => ({
  rate: amountOf('10'),
  effectiveFrom: new Date(0),
  setBy: null,
  isNext: true,
  ...changes,
})

export const someAuditRow = (changes: Partial<AuditRow> = {}): AuditRow => ({
  id: '01936b2a-7c00-7000-8000-000000000901',
  at: new Date('2026-11-20T07:31:04Z'),
  actor: 'admin:keeper',
  ip: '10.0.0.7',
  action: 'settings.change',
  target: 'node_price_usdt',
  before: { value: '3' },
  after: { value: '3.5' },
  ...changes,
})

interface BackOffice {
  isLoggedIn?: boolean
  role?: AdminRole
  /** From the second on, what needs two persons is only proposed. */
  owners?: number
  otpEnabled?: boolean
  ipAccess?: Partial<IpAccess>
  stats?: Partial<AdminStats>
  waiting?: Partial<Waiting>
}

/**
 * The calls that every page of the back office makes, by default with a logged-in administrator. Returns a function that ends the
 * session.
 */
export function answerBackOffice(
  api: FakeApi,
  { isLoggedIn = true, role = 'owner', owners = 1, otpEnabled = false, ipAccess, stats, waiting }: BackOffice = {},
) {
  const session = { isLoggedIn, username: 'keeper' }
  api.answer(adminLoginStatus, () =>
    session.isLoggedIn
      ? { isLoggedIn: true, loginTime: new Date('2026-11-20T07:31:00Z'), username: session.username, role }
      : { isLoggedIn: false, loginTime: null, username: null, role: null },
  )
  api.answer(getAdminUser, () => {
    if (!session.isLoggedIn) throw unauthorized()
    return { username: session.username, adminId: '01936b2a-7c00-7000-8000-0000000000aa', role }
  })
  api.answer(adminLogout, () => {
    session.isLoggedIn = false
    return { message: 'Logged out.' }
  })
  api.answer(adminOtpStatus, () => ({ otpEnabled }))
  api.answer(listAdminPasskeys, () => ({ passkeys: [], factors: otpEnabled ? ['code' as const] : [] }))
  api.answer(listProposals, ({ query }) => ({ proposals: [], owners, ...pagingOf(0, query) }))
  api.answer(listRewardRates, () => [someRate()])
  api.answer(listAudit, () => ({
    entries: [someAuditRow()],
    totalCount: 1,
    currentPage: 1,
    totalPages: 1,
    hasNextPage: false,
    hasPrevPage: false,
    isCut: false,
    actions: ['settings.change'],
  }))
  api.answer(getHealth, () => ({
    at: new Date('2026-11-20T07:31:20Z'),
    checks: [{ name: 'Watcher', ok: true, value: 'at block 101', advice: null }],
  }))
  api.answer(listIncidents, () => ({ incidents: [] }))
  api.answer(listAdministrators, () => ({ administrators: [someAdministrator({ username: session.username })], invitations: [] }))
  api.answer(listAnnouncements, () => ({ accounts: 1_200, announcements: [] }))
  api.answer(getPayoutCaps, () => {
    const none = { environment: null, panel: null, signed: 0n }
    return { hour: none, day: none }
  })
  api.answer(getIpAccess, () => someIpAccess(ipAccess))
  api.answer(getAdminCredentials, () => ({ username: session.username }))
  api.answer(getAdminStats, () => someAdminStats(stats))
  api.answer(getWaiting, () => someWaiting(waiting))
  answerUsers(api, [])
  answerAdminWithdrawals(api, [])
  return session
}

export const somePerson = (changes: Partial<Person> = {}): Person => ({
  ...someAdminUser(),
  language: 'en',
  nodes: { paid: 9, bonus: 1, bonusPending: 0, active: 10, frozen: 0 },
  withdrawn: { totalAmount: amountOf('3000'), count: 1 },
  owed: 0n,
  authenticator: { enabledAt: new Date('2026-11-20T08:00:00Z'), lockedUntil: null, recoveryCodesLeft: 10, resetsAt: null },
  passkeys: [],
  frozenAt: null,
  heldUntil: null,
  reservationsPausedUntil: null,
  dailyLimit: { limit: null, next: null },
  sessions: [],
  sessionCount: 0,
  knownDevices: 1,
  pushDevices: 0,
  ...changes,
})

const noRows = { rows: [], totalCount: 0, currentPage: 1, totalPages: 0, hasNextPage: false, hasPrevPage: false }

/** Fakes the page of an account, whose parts are empty. Returns how often its details were read. */
export function answerPerson(api: FakeApi, person: Person = somePerson()): { reads: number } {
  const counted = { reads: 0 }
  api.answer(getPerson, () => {
    counted.reads += 1
    return person
  })
  api.answer(listPersonPurchases, () => noRows)
  api.answer(listPersonDeposits, () => noRows)
  api.answer(listPersonNodes, () => noRows)
  api.answer(listPersonRewards, () => noRows)
  api.answer(listPersonWithdrawals, () => noRows)
  api.answer(listPersonWallets, () => noRows)
  api.answer(listPersonMails, () => noRows)
  api.answer(listPersonInbox, () => noRows)
  api.answer(listUserNotes, () => noRows)
  api.answer(listPersonAudit, () => noRows)
  api.answer(listPersonHolds, () => noRows)
  return counted
}
