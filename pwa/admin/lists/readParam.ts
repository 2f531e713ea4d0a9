import { parseAmount } from '#shared/amount.ts'

/** A day in the address, YYYY-MM-DD; empty if it is none. */
export const readDay = (text: string | null): string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''

/** A decimal amount in the address; empty if it is none. */
export const readAmount = (text: string | null): string => (text !== null && parseAmount(text) !== undefined ? text : '')

/** The number of a page in the address; 1 if it is none. */
export const readPage = (text: string | null): number => (text !== null && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1)
