import { groupDigits } from '#shared/amount.ts'

/** Formats an integer: 20,000. */
export const formatCount = (count: number): string => groupDigits(String(count))
