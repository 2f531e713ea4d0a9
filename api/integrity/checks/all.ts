import type { Check } from '../Check.ts'
import { archivedMonths, carriedSums } from './archive.ts'
import { balances, systemAccounts, knownMoves, owners, totalsEarned } from './balances.ts'
import { depositStates, payments, paidInFull } from './deposits.ts'
import { corrections, distributionEntries, paidDaysHaveCome, rewardDays } from './distributions.ts'
import { freezes } from './freezes.ts'
import { guards } from './guards.ts'
import { nodeCounts } from './nodeCounts.ts'
import { frozenNodes, nodeTimes } from './nodes.ts'
import { onceOnly } from './onceOnly.ts'
import { overdue } from './overdue.ts'
import { administratorPasskeys } from './passkeys.ts'
import { purchaseAmounts, purchaseStates } from './purchases.ts'
import { recomputedRewards } from './recomputedRewards.ts'
import { registerFacts, registerLeaves, registerLog } from './register.ts'
import { signedTerms } from './signedTerms.ts'
import { nodeNumbers, purchasedNodes, supply } from './supply.ts'
import { dailyTotals } from './totals.ts'
import { debtEntries, payoutAccounts, payoutNonces, payoutRows, sweepEntries, withdrawalEntries } from './withdrawals.ts'

/** Checks of sales, payments and rewards. */
export const saleChecks: readonly Check[] = [
  balances,
  totalsEarned,
  owners,
  systemAccounts,
  knownMoves,
  supply,
  nodeNumbers,
  purchasedNodes,
  nodeCounts,
  nodeTimes,
  frozenNodes,
  purchaseAmounts,
  purchaseStates,
  depositStates,
  payments,
  paidInFull,
  distributionEntries,
  rewardDays,
  paidDaysHaveCome,
  corrections,
  recomputedRewards,
  onceOnly,
  dailyTotals,
  overdue,
  administratorPasskeys,
  guards,
]

/** Checks of withdrawals and payouts. */
export const payoutChecks: readonly Check[] = [
  withdrawalEntries,
  signedTerms,
  sweepEntries,
  debtEntries,
  payoutAccounts,
  payoutRows,
  payoutNonces,
  freezes,
]

/** Checks of the public register: what is published against the rows. */
const registerChecks: readonly Check[] = [registerLog, registerFacts, registerLeaves]

/** Checks of archived months, without the archived rows. */
const archiveChecks: readonly Check[] = [carriedSums, archivedMonths]

/** All checks that use only the rows. */
export const checks: readonly Check[] = [...saleChecks, ...payoutChecks, ...registerChecks, ...archiveChecks]
