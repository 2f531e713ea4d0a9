import { DAY } from '#shared/dates.ts'
import { lastDueDay, rewardInstant } from '#shared/rewardTime.ts'
import { demand } from './FormatError.ts'
import { type LineForm, linesOf, splitHead, type ValuesOf } from './lines.ts'
import * as value from './values.ts'

const { optional, oneOf } = value

const common = { genesis: value.hash, time: value.instant, account: value.hash }

/** The lines of each kind of receipt, in order (format.md, "Receipts"). Times are in register time. */
const receiptForms = {
  account: linesOf(common),
  nodes: linesOf({
    ...common,
    cause: oneOf('deposit', 'unpaid', 'grant'),
    numbers: value.numbers,
    active: value.instant,
    price: optional(value.positiveAmount),
    transfers: optional(value.transfers),
    by: value.day,
  }),
  withdrawal: linesOf({
    ...common,
    net: value.positiveAmount,
    fee: value.amount,
    recipient: value.address,
    /** The hash of the message that the wallet signed. */
    message: value.hash,
    by: value.day,
  }),
}

type ReceiptKind = keyof typeof receiptForms
export type ReceiptOf<Kind extends ReceiptKind> = { [Each in Kind]: { kind: Each } & ValuesOf<(typeof receiptForms)[Each]> }[Kind]
export type Receipt = ReceiptOf<ReceiptKind>

/** How long after its cause the log must contain what a receipt promises. */
const PROMISE = 2 * DAY

export const receiptKeyName = (origin: string): string => `${origin}/receipts`

/** The last day whose 09:00 is within the promise. */
export const promisedDay = (time: Date): string => lastDueDay(new Date(time.getTime() + PROMISE))

/** The text that the receipts' key signs. @throws {FormatError} if a reader would refuse it. */
export function formatReceipt(receipt: Receipt): string {
  const form: LineForm<object> = receiptForms[receipt.kind]
  const text = `receipt/${receipt.kind}/v1\n${form.write(receipt)}`
  parseReceipt(text)
  return text
}

/** @throws {FormatError} unless it is the text of a receipt. */
export function parseReceipt(text: string): Receipt {
  const { head, rest } = splitHead(text)
  const kind = Object.keys(receiptForms).find((known): known is ReceiptKind => head === `receipt/${known}/v1`)
  demand(kind, `${head.slice(0, 80)} is no kind of receipt`)
  const receipt = { kind, ...receiptForms[kind].read(rest) } as Receipt
  if (receipt.kind === 'nodes') checkNodes(receipt)
  if (receipt.kind !== 'account') checkPromise(receipt)
  return receipt
}

function checkNodes({ cause, price, transfers }: ReceiptOf<'nodes'>): void {
  demand((transfers !== null) === (cause === 'deposit'), 'Only paid nodes have transfers')
  demand((price === null) === (cause === 'grant'), 'Only purchases have a price')
}

function checkPromise({ time, by }: { time: Date; by: string }): void {
  const delay = rewardInstant(by).getTime() - time.getTime()
  demand(delay >= 0 && delay <= PROMISE, 'The promised day is not within 48 hours')
}
