import { DAY } from '#shared/dates.ts'
import { equalBytes } from './bytes.ts'
import { type EntryKind, type EntryOf, reasons } from './entryForms.ts'
import { demand } from './FormatError.ts'
import { count, day, oneOf } from './values.ts'

type Deposit = EntryOf<'deposit'>

const equations = oneOf('E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8')

/** Requires that some lines have a value, or that none has. */
function demandAll<Values extends object>(values: Values, names: readonly (keyof Values & string)[], present: boolean): void {
  for (const name of names)
    demand((values[name] !== null) === present, `The line ${name} ${present ? 'is empty' : 'must be empty'}`)
}

function checkGroup(entry: Pick<Deposit, 'group' | 'numbers' | 'allocated' | 'active'>): void {
  demandAll(entry, ['group', 'numbers', 'allocated', 'active'], true)
  const delay = entry.active!.getTime() - entry.allocated!.getTime()
  demand(delay >= 0 && delay <= DAY, 'The nodes become active before their allocation or more than 24 hours after it')
}

function checkDeposit(entry: Deposit): void {
  const { decision, reason } = entry
  const isReason = reason === null ? decision === 'vanished' : reasons[decision].some((known) => known === reason)
  demand(isReason, `${reason} is no reason of ${decision}`)
  demandAll(entry, ['block', 'mined'], decision !== 'orphaned' && decision !== 'vanished')
  if (decision === 'counted' || reason === 'counted') {
    checkGroup(entry)
    demandAll(entry, ['price', 'priced', 'owner'], true)
  } else demandAll(entry, ['group', 'numbers', 'price', 'priced', 'allocated', 'active'], false)
  const isRefunded = decision === 'refunded' || reason === 'refunded'
  demandAll(entry, ['refund', 'returned'], isRefunded)
  if (isRefunded) demand(entry.returned! <= entry.amount, 'More was returned than paid')
  if (decision === 'refunded')
    demand(entry.returned! < entry.amount === (reason === 'partial'), 'The reason of the refund does not follow from its amount')
}

function checkPayout(entry: EntryOf<'payout'>): void {
  const { state } = entry
  const isOurs = state === 'sweep' || state === 'foreign'
  demandAll(entry, ['transfer'], state !== 'accepted' && state !== 'refunded')
  demandAll(entry, ['wallet'], state === 'paid' || state === 'booked' || isOurs)
  demandAll(entry, ['request'], state !== 'booked' && !isOurs)
  demandAll(entry, ['owner'], !isOurs)
  demand(!isOurs || entry.fee === 0n, `A transfer of the state ${state} has no fee`)
}

function checkNote(entry: EntryOf<'note'>): void {
  const { topic, subject } = entry
  const subjects = { 'caught-up': day, held: equations, wrong: count }
  const form = topic === 'caught-up' || topic === 'held' || topic === 'wrong' ? subjects[topic] : undefined
  demandAll(entry, ['subject'], form !== undefined)
  form?.read(subject!)
  if (topic === 'message') demandAll(entry, ['text'], true)
}

function checkKey(entry: EntryOf<'key'>): void {
  const isAccount = entry.use === 'proof'
  demand((entry.old.length === 32) === isAccount, 'The old key has the wrong length')
  demandAll(entry, ['new'], !isAccount)
  demand(!(entry.new && equalBytes(entry.new, entry.old)), 'The key stays the same')
  demand(entry.use === 'log' || entry.proof === null, 'Only a key of the log has a proof')
}

/** What an entry must satisfy beyond the form of its lines. Each check throws a FormatError. */
export const entryChecks: { [Kind in EntryKind]?: (entry: EntryOf<Kind>) => void } = {
  books({ time, paymentBlock, rewardBlock }) {
    for (const block of [paymentBlock, rewardBlock]) demand(!block || block.time <= time, 'A block is newer than the books')
  },
  deposit: checkDeposit,
  payout: checkPayout,
  grant: checkGroup,
  address(entry) {
    demandAll(entry, ['proof'], entry.role === 'wallet')
  },
  note: checkNote,
  key: checkKey,
}
