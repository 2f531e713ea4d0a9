import { linesOf, type ValuesOf } from './lines.ts'
import * as value from './values.ts'

const { optional, oneOf, words } = value

interface Token {
  chainId: number
  address: value.Hex
  decimals: number
}
const token = words<Token>({ chainId: value.chainId, address: value.address, decimals: value.count })

const setting = { time: value.instant, from: value.instant }

/** The nodes of a purchase or grant. */
const group = {
  group: optional(value.groupId),
  numbers: optional(value.numbers),
}
const activation = {
  /** Both in register time. */
  allocated: optional(value.instant),
  active: optional(value.instant),
}

/** The reasons of each decision on a deposit. */
export const reasons = {
  counted: ['matched', 'decision', 'owed'],
  review: ['underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'],
  refunded: ['full', 'partial'],
  ignored: ['dust', 'decision'],
  /** The decision before. */
  orphaned: ['counted', 'review', 'refunded', 'ignored'],
  vanished: [],
} as const

/** The lines of each kind of entry, in order (format.md, "Kinds"). */
export const entryForms = {
  genesis: linesOf({
    time: value.instant,
    origin: value.origin,
    clock: oneOf('real', 'demo'),
    payment: token,
    reward: token,
    anchor: optional(words<{ chainId: number; address: value.Hex }>({ chainId: value.chainId, address: value.address })),
    logKey: value.publicKey,
    receiptKey: value.publicKey,
  }),
  day: linesOf({
    day: value.day,
    due: value.instant,
    paid: value.instant,
    rate: value.amount,
    states: words<Record<'free' | 'waiting' | 'active' | 'frozen', number>>({
      free: value.count,
      waiting: value.count,
      active: value.count,
      frozen: value.count,
    }),
    kinds: words<Record<'none' | 'paid' | 'bonus' | 'granted', number>>({
      none: value.count,
      paid: value.count,
      bonus: value.count,
      granted: value.count,
    }),
    rewards: value.amount,
    corrected: value.amount,
    earned: value.amount,
    nodes: words<{ size: number; root: Uint8Array }>({ size: value.nodeNumber, root: value.hash }),
  }),
  books: linesOf({
    day: value.day,
    time: value.instant,
    earned: value.amount,
    debts: value.amount,
    completed: words<{ net: bigint; fees: bigint }>({ net: value.amount, fees: value.amount }),
    open: value.amount,
    balances: value.amount,
    owed: value.amount,
    received: value.amount,
    counted: value.amount,
    review: value.amount,
    refunded: value.amount,
    ignored: value.amount,
    orphaned: value.amount,
    returned: value.amount,
    paymentBlock: optional(value.block),
    rewardBlock: optional(value.block),
    addresses: optional(value.addresses),
    reserve: optional(value.balances),
  }),
  deposit: linesOf({
    time: value.instant,
    transfer: value.transfer,
    block: optional(words<{ number: number; logIndex: number }>({ number: value.count, logIndex: value.count })),
    mined: optional(value.instant),
    amount: value.positiveAmount,
    decision: oneOf('counted', 'review', 'refunded', 'ignored', 'orphaned', 'vanished'),
    reason: optional(oneOf(...reasons.counted, ...reasons.review, ...reasons.refunded, ...reasons.ignored, ...reasons.orphaned)),
    ...group,
    price: optional(value.positiveAmount),
    priced: optional(value.instant),
    ...activation,
    refund: optional(value.transfer),
    returned: optional(value.positiveAmount),
    owner: optional(value.hash),
  }),
  payout: linesOf({
    time: value.instant,
    state: oneOf('accepted', 'paid', 'elsewhere', 'refunded', 'booked', 'sweep', 'foreign'),
    transfer: optional(value.transfer),
    wallet: optional(value.address),
    net: value.positiveAmount,
    fee: value.amount,
    request: optional(value.hash),
    owner: optional(value.hash),
  }),
  grant: linesOf({
    time: value.instant,
    cause: oneOf('rule', 'hand', 'unpaid', 'gift'),
    ...group,
    ...activation,
    owner: value.hash,
  }),
  rate: linesOf({ ...setting, rate: value.amount }),
  price: linesOf({ ...setting, price: value.positiveAmount }),
  fee: linesOf({ ...setting, fee: value.amount }),
  supply: linesOf({ ...setting, supply: value.nodeNumber }),
  address: linesOf({
    time: value.instant,
    role: oneOf('deposit', 'wallet', 'anchor'),
    chain: value.chainId,
    address: value.address,
    block: value.count,
    proof: optional(value.walletSignature),
  }),
  correction: linesOf({
    time: value.instant,
    missed: value.day,
    reason: oneOf('thawed', 'error'),
    credits: value.credits,
  }),
  note: linesOf({
    time: value.instant,
    topic: oneOf('sales-stopped', 'sales-resumed', 'caught-up', 'held', 'wrong', 'message'),
    subject: optional(value.sentence),
    text: optional(value.sentence),
  }),
  key: linesOf({
    time: value.instant,
    use: oneOf('log', 'receipt', 'proof'),
    /** The replaced key; an account's hash for `proof`. */
    old: value.keyOrHash,
    new: optional(value.publicKey),
    proof: optional(value.base64(64)),
  }),
  release: linesOf({ time: value.instant, verify: value.hash, page: value.hash, format: value.hash }),
}

export type EntryKind = keyof typeof entryForms
export type EntryOf<Kind extends EntryKind> = { [Each in Kind]: { kind: Each } & ValuesOf<(typeof entryForms)[Each]> }[Kind]
export type Entry = EntryOf<EntryKind>
