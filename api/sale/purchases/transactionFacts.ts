import type { Deposit } from '#api/entities/Deposit.ts'

/** Number of transactions that a message names. */
const MAX_SHOWN = 5

/** The transactions of payments, as facts of a message about them. Several of one transaction name it once. */
export const transactionFacts = (deposits: readonly Pick<Deposit, 'transactionHash'>[]) =>
  [...new Set(deposits.map(({ transactionHash }) => transactionHash))]
    .slice(0, MAX_SHOWN)
    .map((hash) => ['Transaction', hash] as const)
