import { formatAmount } from '#shared/amount.ts'

/** Amounts as the findings of the audit name them. */
export const usdt = (amount: bigint | string): string => `${formatAmount(BigInt(amount))} USDT`
export const xcr = (amount: bigint | string | null): string => `${formatAmount(BigInt(amount ?? 0))} XCR`
