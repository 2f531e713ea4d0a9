import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'

const instant = z.iso.datetime()
const amount = z.string().regex(/^\d+$/)
const hex = z.templateLiteral(['0x', z.string()])

/**
 * What a receipt states, as stored with it. Not checked against the format: a fact that cannot be written must fail the signature and not
 * the purchase or withdrawal. Times are in register time, amounts in the smallest unit.
 */
export const receiptFacts = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('account'), time: instant }),
  z.object({
    kind: z.literal('nodes'),
    time: instant,
    /** Whether deposits paid for them, an administrator confirmed them without one, or they were granted. */
    cause: z.enum(['deposit', 'unpaid', 'grant']),
    numbers: z.array(z.int()),
    active: instant,
    /** The price of one node; null for a grant. */
    price: amount.nullable(),
    transfers: z.array(z.object({ transaction: hex, ordinal: z.int() })),
  }),
  z.object({
    kind: z.literal('withdrawal'),
    time: instant,
    net: amount,
    fee: amount,
    recipient: hex,
    /** The SHA-256 of the signed message, in hex. */
    message: z.string(),
  }),
])
export type ReceiptFacts = z.output<typeof receiptFacts>

interface AllocatedGroup {
  numbers: readonly number[]
  /** Both in register time. */
  allocatedAt: Date
  activeFrom: Date
  /** The price of one node; null for a grant. */
  price: bigint | null
  deposits: readonly { transactionHash: `0x${string}`; ordinal: number }[]
}

/** What the receipt of a purchase's or grant's nodes states. */
export const nodesFacts = ({ numbers, allocatedAt, activeFrom, price, deposits }: AllocatedGroup): ReceiptFacts => ({
  kind: 'nodes',
  time: allocatedAt.toISOString(),
  cause: price === null ? 'grant' : deposits.length > 0 ? 'deposit' : 'unpaid',
  numbers: [...numbers],
  active: activeFrom.toISOString(),
  price: price === null ? null : String(price),
  transfers: deposits.map(({ transactionHash, ordinal }) => ({ transaction: transactionHash, ordinal })),
})

export interface NewReceipt {
  userId: string
  /** Names the account, by its key in force. */
  accountHash: Uint8Array
  /** One cause has one receipt. */
  cause: string
  facts: ReceiptFacts
  /** The mail that waits for the signature, to which the receipt is added. */
  mailId?: string | undefined
}

/** The job that signs receipts. */
export const signReceiptsJob = { name: 'sign-receipts', payload: z.object({ ids: z.array(z.uuid()) }) }

/** Receipts in one job. */
const BATCH_SIZE = 100

/** Stores receipts in the transaction of their cause. A job signs them. */
export async function storeReceipts(
  em: EntityManager,
  { clock, jobs }: Pick<Services, 'clock' | 'jobs'>,
  receipts: readonly NewReceipt[],
): Promise<void> {
  if (receipts.length === 0) return
  const createdAt = clock.now()
  const stored = await query(em)
    .insertInto('register_receipts')
    .values(
      receipts.map(({ userId, accountHash, cause, facts, mailId }) => ({
        id: newId(),
        user: userId,
        kind: facts.kind,
        cause,
        accountHash,
        facts,
        mailId: mailId ?? null,
        createdAt,
      })),
    )
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('id')
    .execute()
  const ids = stored.map(({ id }) => id)
  const batches = Array.from({ length: Math.ceil(ids.length / BATCH_SIZE) }, (_, index) =>
    ids.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
  )
  if (batches.length > 0) await jobs.enqueue(em, signReceiptsJob, ...batches.map((batch) => ({ ids: batch })))
}
