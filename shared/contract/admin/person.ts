import { z } from 'zod'
import { address, transactionHash } from '../../wire/address.ts'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { openEnum } from '../../wire/openEnum.ts'
import { languages } from '../../languages.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { inboxMessage } from '../inbox.ts'
import { nodeKinds } from '../nodes.ts'
import { pageQuery, pagingFields } from '../paging.ts'
import { passkey } from '../passkeys.ts'
import { purchase } from '../purchases.ts'
import { distribution } from '../rewards.ts'
import { rowId } from '../rowId.ts'
import { auditRow } from './audit.ts'
import { adminUserRow } from './users.ts'
import { adminWithdrawal } from './withdrawals.ts'

/** Rows of each part on the page of one account. */
export const PERSON_ROWS_PER_PAGE = 10
/** At most so many sessions are listed, the latest first. */
export const MAX_PERSON_SESSIONS = 20
export const MAX_USER_NOTE = 2_000

const params = z.object({ id: rowId })

const personSession = z.object({
  id: z.string(),
  /** Browser and system, such as "Chrome on Android". */
  device: z.string(),
  ip: z.string().nullable(),
  since: instant,
  lastSeen: instant,
})

export const person = adminUserRow.extend({
  language: z.enum(languages),
  nodes: z.object({ paid: z.int(), bonus: z.int(), bonusPending: z.int(), active: z.int(), frozen: z.int() }),
  /** Completed withdrawals, fees included. */
  withdrawn: z.object({ totalAmount: amount, count: z.int() }),
  /** XCR that the account owes, because a payment exceeded its balance. */
  owed: amount,
  authenticator: z.object({
    /** Null while it is disabled. */
    enabledAt: instant.nullable(),
    /** Codes are refused until then, after too many wrong ones; null while they are not. */
    lockedUntil: instant.nullable(),
    recoveryCodesLeft: z.int(),
    /** When it is removed, because an administrator has asked for that; null otherwise. */
    resetsAt: instant.nullable(),
  }),
  passkeys: z.array(passkey),
  /** When it was last frozen. `frozen` tells whether it still is. */
  frozenAt: instant.nullable(),
  /** New withdrawals are on hold until then; null while they are not. */
  heldUntil: instant.nullable(),
  /** Reservations are refused until then, after unpaid ones; null while they are not. */
  reservationsPausedUntil: instant.nullable(),
  dailyLimit: z.object({ limit: amount.nullable(), next: z.object({ limit: amount.nullable(), from: instant }).nullable() }),
  /** Latest first, at most `MAX_PERSON_SESSIONS`. */
  sessions: z.array(personSession),
  sessionCount: z.int(),
  /** Browsers in which the account has logged in before. */
  knownDevices: z.int(),
  /** Browsers that receive push messages. */
  pushDevices: z.int(),
})
export type Person = z.output<typeof person>

/**
 * An account with its security. This call and those below write a row in the audit log, one for each administrator, account and ten
 * minutes.
 */
export const getPerson = endpoint({
  method: 'GET',
  path: '/api/admin/users/:id/details',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  params,
  response: person,
  errors: ['not_found'],
})

/** A page of one kind of rows of an account, newest first. */
const part = <const Name extends string, Row extends z.ZodType>(name: Name, row: Row) =>
  endpoint({
    method: 'GET',
    path: `/api/admin/users/:id/${name}`,
    access: 'admin',
    roles: everyRole,
    limit: 'none',
    params,
    query: pageQuery(PERSON_ROWS_PER_PAGE),
    response: z.object({ rows: z.array(row), ...pagingFields }),
    errors: ['not_found'],
  })

export const personPurchase = purchase.extend({
  unitPriceUsdt: amount,
  /** The paying wallet; null for a bonus. */
  wallet: address.nullable(),
  confirmedAt: instant.nullable(),
})
export type PersonPurchase = z.output<typeof personPurchase>

/** Without reservations that were never paid. */
export const listPersonPurchases = part('purchases', personPurchase)

export const personDeposit = z.object({
  id: z.uuid(),
  transactionHash,
  sender: address,
  amount,
  state: openEnum(['seen', 'matched', 'review', 'ignored', 'assigned', 'refunded', 'orphaned']),
  reviewReason: openEnum(['underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched']).nullable(),
  purchaseId: z.uuid().nullable(),
  /** Null for refunds of earlier releases. */
  refund: z.object({ transactionHash, amount: amount.nullable() }).nullable(),
  notes: z.string().nullable(),
  seenAt: instant,
})
export type PersonDeposit = z.output<typeof personDeposit>

/** Payments from the account's wallets, or for its purchases. */
export const listPersonDeposits = part('deposits', personDeposit)

export const personNode = z.object({
  number: z.int(),
  kind: z.enum(nodeKinds),
  purchaseId: z.uuid(),
  allocatedAt: instant,
  activeFrom: instant,
  /** Since when it earns nothing, because its payment disappeared from the chain. */
  frozenAt: instant.nullable(),
})
export type PersonNode = z.output<typeof personNode>

/** Lowest number first. */
export const listPersonNodes = part('nodes', personNode)

export const listPersonRewards = part('rewards', distribution)

export const listPersonWithdrawals = part('withdrawals', adminWithdrawal)

export const personWallet = z.object({
  id: z.uuid(),
  address,
  registeredAt: instant,
  /** When a signature of the wallet was verified. */
  provenAt: instant.nullable(),
  /** Null for the present wallet. */
  removedAt: instant.nullable(),
})
export type PersonWallet = z.output<typeof personWallet>

export const listPersonWallets = part('wallets', personWallet)

export const personMail = z.object({
  id: z.uuid(),
  subject: z.string(),
  createdAt: instant,
  /** Null while it waits. */
  sentAt: instant.nullable(),
  attempts: z.int(),
  /** Why the last attempt failed, while it waits. */
  lastError: z.string().nullable(),
})
export type PersonMail = z.output<typeof personMail>

/** Without their texts, which contain codes and links for the owner only. Sent ones are kept for 90 days. */
export const listPersonMails = part('mails', personMail)

export const listPersonInbox = part('inbox', inboxMessage)

export const userNote = z.object({
  id: z.uuid(),
  /** The actor as in the audit log. */
  author: z.string(),
  text: z.string(),
  createdAt: instant,
})
export type UserNote = z.output<typeof userNote>

export const listUserNotes = part('notes', userNote)

/** Entries about the account, its purchases, payments and withdrawals, and of what its owner did. */
export const listPersonAudit = part('audit', auditRow)

/** The entries about holds of withdrawals: what began or prolonged one, and what ended it. */
export const listPersonHolds = part('holds', auditRow)

/** Notes can neither be changed nor deleted. Their owner does not see them. */
export const addUserNote = endpoint({
  method: 'POST',
  path: '/api/admin/users/:id/notes',
  access: 'admin',
  roles: ['support', 'finance'],
  limit: 'none',
  params,
  body: z.object({ text: z.string().trim().min(1, 'Please enter a note.').max(MAX_USER_NOTE) }),
  response: z.object({ message: z.string(), note: userNote }),
  errors: ['not_found'],
})
