import { formatAmount } from '#shared/amount.ts'

/** 3,000.5 XCR, with all decimals. */
export const formatXcr = (amount: bigint): string => `${formatAmount(amount, { grouped: true })} XCR`
