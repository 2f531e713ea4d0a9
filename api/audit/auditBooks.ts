import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import type { Check } from './Check.ts'
import { balances, owners, totalsEarned } from './checks/balances.ts'
import { distributionEntries, rewardDays } from './checks/distributions.ts'
import { recomputedRewards } from './checks/recomputedRewards.ts'
import { payments } from './checks/deposits.ts'
import { nodeCounts } from './checks/nodeCounts.ts'
import { purchasedNodes, supply } from './checks/supply.ts'
import { dailyTotals } from './checks/totals.ts'
import { payoutAccounts, payoutNonces, payoutRows, sweepEntries, withdrawalEntries } from './checks/withdrawals.ts'

const checks: readonly Check[] = [
  balances,
  totalsEarned,
  owners,
  supply,
  purchasedNodes,
  nodeCounts,
  payments,
  distributionEntries,
  rewardDays,
  recomputedRewards,
  withdrawalEntries,
  sweepEntries,
  payoutAccounts,
  payoutRows,
  payoutNonces,
  dailyTotals,
]

export interface Finding {
  /** What should be true. */
  name: string
  /** Where it is not. */
  differences: string[]
}

/** Recomputes what must be true from the rows, all of it at one moment: what runs meanwhile disturbs nothing and is not disturbed. */
export const auditBooks = (em: EntityManager): Promise<Finding[]> =>
  em.transactional(
    async (em) => {
      const findings: Finding[] = []
      for (const { name, run } of checks) findings.push({ name, differences: await run(em) })
      return findings
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  )
