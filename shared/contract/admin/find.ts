import { z } from 'zod'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { openEnum } from '../../wire/openEnum.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { searchText } from '../paging.ts'

/** At most so many results of each kind. */
export const FOUND_PER_KIND = 8

export const found = z.object({
  kind: openEnum(['user', 'node', 'purchase', 'deposit', 'withdrawal']),
  /** The row's id; a node's number. */
  id: z.string(),
  /** What the text is of it. `former_wallet`: the account has another one now, or none. */
  matched: openEnum(['email', 'wallet', 'former_wallet', 'sender', 'hash', 'claimed_hash', 'refund_hash', 'id', 'number']),
  /** The account that it belongs to, or that a payment probably comes from. */
  userId: z.uuid().nullable(),
  userEmail: z.string().nullable(),
  /** Of a purchase, payment or withdrawal. */
  status: z.string().nullable(),
  /** In USDT, of a withdrawal in XCR; null for accounts and nodes. */
  amount: amount.nullable(),
  /** When the account, the row or the node's allocation began. */
  at: instant,
})
export type Found = z.output<typeof found>

/**
 * Everything that a text names: part of an e-mail address, a wallet, a transaction, a node's number, or an id, whole or its first eight
 * characters.
 */
export const findAnything = endpoint({
  method: 'GET',
  path: '/api/admin/find',
  access: 'admin',
  roles: everyRole,
  limit: 'search',
  query: z.object({ text: searchText.min(1, 'Please enter something to find.') }),
  response: z.object({
    results: z.array(found),
    /** There are more of some kind. */
    isCut: z.boolean(),
  }),
})
