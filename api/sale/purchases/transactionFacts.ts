import type { Deposit } from '#api/entities/Deposit.ts'

/** Number of transactions that a message names. */
const MAX_SHOWN = 5

/** The transactions of payments, as facts of a message about them. */
export const transactionFacts = (deposits: readonly Pick<Deposit, 'transactionHash'>[]) =>
  deposits.slice(0, MAX_SHOWN).map(({ transactionHash }) => ['Transaction', transactionHash] as const)
