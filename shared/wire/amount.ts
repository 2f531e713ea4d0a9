import { z } from 'zod'
import { formatAmount, parseAmount } from '../amount.ts'

const wireForm = /^(0|[1-9]\d{0,59})(\.\d{1,18})?$/

/**
 * A token amount: a bigint of the token's smallest unit in code, a decimal string of whole tokens on the wire
 * ("3000", "2995.5"), because JSON numbers lose digits above 2^53.
 */
export const amount = z.codec(z.string().regex(wireForm, 'Not a valid amount.'), z.bigint().nonnegative(), {
  decode: (text) => parseAmount(text) ?? 0n,
  encode: (value) => formatAmount(value),
})
