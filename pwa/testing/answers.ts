import { parseAmount } from '#shared/amount.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { type AuthUser, getAuthUser } from '#shared/contract/identity.ts'
import { countUnread } from '#shared/contract/inbox.ts'
import { getNodeStats, getUserNodes, type NodeStats } from '#shared/contract/nodes.ts'
import { getNotifications } from '#shared/contract/notifications.ts'
import { listPasskeys } from '#shared/contract/passkeys.ts'
import { getReservation, listPayments, listPurchases, type Purchase, type Reservation } from '#shared/contract/purchases.ts'
import { type Distribution, listDistributions } from '#shared/contract/rewards.ts'
import { getConfig, getNodeSettings, listSystemSettings, type PublicConfig } from '#shared/contract/settings.ts'
import { type SettingKey, settingDefaults, settingKeys } from '#shared/settings.ts'
import { getDailyLimit, listWithdrawals, type Withdrawal } from '#shared/contract/withdrawals.ts'
import { type FakeApi, unauthorized } from './fakeApi.ts'

export const amountOf = (text: string): bigint => parseAmount(text)!

export const someUser = (changes: Partial<AuthUser> = {}): AuthUser => ({
  id: '01936b2a-7c00-7000-8000-000000000001',
  email: 'mara@example.com',
  walletAddress: '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c',
  balance: { availableXcr: 0n, totalEarnedXcr: 0n },
  totalNodes: 0,
  ...changes,
})

export const somePurchase = (changes: Partial<Purchase> = {}): Purchase => ({
  id: '01936b2a-7c00-7000-8000-000000000101',
  user: { id: '01936b2a-7c00-7000-8000-000000000001', email: 'mara@example.com' },
  requestedQuantity: 10,
  finalQuantity: 10,
  purchaseAmountUsdt: amountOf('30'),
  nodeNumbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  transactionHash: `0x${'c'.repeat(64)}`,
  paymentStatus: 'confirmed',
  purchaseResult: 'normal',
  adminNotes: null,
  createdAt: new Date('2026-11-20T07:31:00Z'),
  payment: null,
  ...changes,
})

export const someDistribution = (changes: Partial<Distribution> = {}): Distribution => ({
  id: '01936b2a-7c00-7000-8000-000000000201',
  amount: amountOf('100'),
  createdAt: new Date('2026-11-21T09:00:00Z'),
  activeNodes: 10,
  xcrPerNode: amountOf('10'),
  ...changes,
})

export const someWithdrawal = (changes: Partial<Withdrawal> = {}): Withdrawal => ({
  id: '01936b2a-7c00-7000-8000-000000000301',
  userEmail: 'mara@example.com',
  amount: amountOf('3000'),
  feeAmount: amountOf('5'),
  toAddress: '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c',
  status: 'pending',
  createdAt: new Date('2026-11-22T12:00:00Z'),
  transactionHash: null,
  heldUntil: null,
  needsReview: false,
  isCapped: false,
  canCancel: false,
  ...changes,
})

export const someConfig = (changes: Partial<PublicConfig> = {}): PublicConfig => ({
  brandName: 'XCR Nodes',
  supportEmail: 'support@example.com',
  depositAddress: `0x${'d'.repeat(40)}`,
  serverTime: new Date(),
  productTime: new Date(),
  demo: false,
  paymentChain: {
    chainId: 56,
    name: 'BNB Smart Chain',
    rpcUrls: ['http://127.0.0.1:8545'],
    explorerUrl: 'https://bscscan.com',
    usdtAddress: '0x55d398326f99059ff775485246999027b3197955',
    usdtDecimals: 18,
    confirmations: 15,
  },
  rewardChain: {
    chainId: 20_250_217,
    name: 'XP',
    rpcUrls: ['http://127.0.0.1:8546', 'http://localhost:8546'],
    explorerUrl: 'https://explorer.example.com',
    tokenAddress: `0x${'e'.repeat(40)}`,
    tokenSymbol: 'XCR',
    tokenDecimals: 18,
    currencySymbol: 'XP',
  },
  captcha: { provider: 'altcha' },
  ...changes,
})

/** Reserved now. */
export const someReservation = (changes: Partial<Reservation> = {}): Reservation => ({
  id: '01936b2a-7c00-7000-8000-000000000101',
  requestedQuantity: 10,
  unitPriceUsdt: amountOf('3'),
  purchaseAmountUsdt: amountOf('30'),
  depositAddress: someConfig().depositAddress!,
  walletAddress: someUser().walletAddress!,
  expiresAt: new Date(Date.now() + RESERVATION_TIME),
  ...changes,
})

interface ServerState {
  user?: AuthUser | null
  stats?: NodeStats
  settings?: Partial<Record<SettingKey, string>>
  purchases?: Purchase[]
  distributions?: Distribution[]
  withdrawals?: Withdrawal[]
  config?: Partial<PublicConfig>
}

/** The calls that nearly every page makes: an open sale without sold nodes, and a visitor unless a user is given. */
export function answerCommonCalls(
  api: FakeApi,
  { user = null, stats, settings, purchases = [], distributions = [], withdrawals = [], config }: ServerState = {},
): void {
  api.answer(getAuthUser, () => {
    if (!user) throw unauthorized()
    return user
  })
  api.answer(getNodeStats, () => stats ?? { total: 20_000, totalSold: 0, remaining: 20_000, progress: 0 })
  api.answer(getNodeSettings, () => ({ nodePrice: amountOf('3'), totalLimit: 20_000 }))
  api.answer(listSystemSettings, () => {
    const values = { ...settingDefaults, ...settings }
    return settingKeys.map((key) => ({ key, value: values[key] }))
  })
  api.answer(getConfig, () => someConfig(config))
  api.answer(listPurchases, () => purchases)
  api.answer(listPayments, () => [])
  api.answer(listDistributions, () => distributions)
  api.answer(listWithdrawals, () => withdrawals)
  api.answer(getDailyLimit, () => ({ limit: null, left: null, growsAt: null, next: null }))
  api.answer(getNotifications, () => ({ rewardDigest: false, language: 'en' as const }))
  api.answer(getReservation, () => null)
  api.answer(countUnread, () => ({ unread: 0 }))
  api.answer(listPasskeys, () => [])
  api.answer(getUserNodes, () => ({
    totalDailyXcr: amountOf('230'),
    activeNodes: 23,
    pendingNodes: 10,
    currentXcrPerNode: amountOf('10'),
  }))
}
