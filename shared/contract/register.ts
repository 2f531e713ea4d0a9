import { z } from 'zod'
import { amount } from '../wire/amount.ts'
import { endpoint } from './endpoint.ts'

/*
 * What an account's own page gets of the public register (api/integrity/register/format.md §10). Everything else is public, below
 * `/register/`. The answers are hints: the page trusts nothing in them that it cannot open with a secret, the e-mail and the log.
 *
 * While the register is off, all of them answer 404 `not_found`.
 */

/** 32 bytes in base64. */
const secret = z.string().regex(/^[A-Za-z0-9+/]{43}=$/)

/** A position after which a list continues; everything by default. */
const after = z
  .codec(z.string().regex(/^-?\d{1,10}$/, 'Not a whole number.'), z.int().min(-1), { decode: Number, encode: String })
  .default(-1)

const proofKeys = z.object({
  /** The key in force. With the e-mail it opens every commitment of the account. */
  proofKey: secret,
  /** The keys that it replaced, oldest first. They open what was published before. */
  earlier: z.array(secret),
  /** The e-mail that the commitments contain. */
  email: z.string(),
})
export type ProofKeys = z.output<typeof proofKeys>

/** Shows the proof keys to their owner. Uses up a step-up mark and is logged, so it is no GET. */
export const showProofKeys = endpoint({
  method: 'POST',
  path: '/api/register/key/show',
  access: 'user',
  limit: 'otp',
  response: proofKeys,
  errors: ['not_found', 'otp_required', 'otp_not_enabled'],
})

/** Replaces the proof key, for an owner whose key others may have seen. The log counts the change. Uses up a step-up mark. */
export const changeProofKey = endpoint({
  method: 'POST',
  path: '/api/register/key',
  access: 'user',
  limit: 'otp',
  response: proofKeys,
  errors: ['account_frozen', 'not_found', 'otp_required', 'otp_not_enabled'],
})

/** Which days are in the register; null while there are none. */
export const findRegisterDays = endpoint({
  method: 'GET',
  path: '/api/register/days',
  access: 'user',
  limit: 'none',
  response: z.object({ days: z.object({ first: z.iso.date(), last: z.iso.date() }).nullable() }),
  errors: ['not_found'],
})

const ownEntry = z.object({
  index: z.int().nonnegative(),
  /** The entry's bytes, which are ASCII. */
  text: z.string(),
  /** Opens its last line; null for entries of no account. */
  secret: secret.nullable(),
})

/** A published day as the account sees it. `not_found` unless the day is in the log. */
export const readRegisterDay = endpoint({
  method: 'GET',
  path: '/api/register/day/:day',
  access: 'user',
  limit: 'none',
  params: z.object({ day: z.iso.date() }),
  /** Only entries behind this index, so that what the page has verified is not sent again. */
  query: z.object({ after }),
  response: z.object({
    /** Opens the day's leaves of the account. */
    secret,
    /** The account's numbers in the day's tree, as ranges of the format (`1-3,5`); null if it has none. */
    numbers: z.string().nullable(),
    /** The balance and the debt as of the last books; null before the first. */
    books: z.object({ index: z.int().nonnegative(), balance: amount, debt: amount }).nullable(),
    /** In the log's order: the day's own entry, the last books, changes of the log's key, and entries of the account. */
    entries: z.array(ownEntry),
    /** Whether there are entries behind the last one here. */
    more: z.boolean(),
  }),
  errors: ['not_found'],
})

/** The signed note of a receipt in the answer that causes it. Absent if it is signed later; `listReceipts` then has it. */
export const signedReceipt = z.string().optional()

const receipt = z.object({
  /** Counted from 0 for each account, without a gap. */
  position: z.int().nonnegative(),
  /** The signed note. */
  note: z.string(),
})

/** The account's signed receipts, oldest first.  */
export const listReceipts = endpoint({
  method: 'GET',
  path: '/api/register/receipts',
  access: 'user',
  limit: 'none',
  /** Only receipts behind this position. */
  query: z.object({ after }),
  response: z.object({ receipts: z.array(receipt), more: z.boolean() }),
  errors: ['not_found'],
})
