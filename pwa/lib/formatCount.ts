import { groupDigits } from '#shared/amount.ts'

/** 20,000. Of whole numbers. */
export const formatCount = (count: number): string => groupDigits(String(count))
