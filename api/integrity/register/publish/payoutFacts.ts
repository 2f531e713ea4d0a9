import type { EntityManager } from '@mikro-orm/postgresql'
import type { Unsealed } from '#shared/register/entries.ts'
import { messageHash, requestOf } from '#shared/register/secrets.ts'
import type { Hex } from '#shared/register/values.ts'
import { sql } from '#api/platform/db/sql.ts'
import { bookedMessage } from '#api/withdrawals/requests/bookWithdrawal.ts'
import type { SentTransfers } from './SentTransfers.ts'
import type { Fact } from './Draft.ts'
import { earlier, later } from './settingFacts.ts'

interface Options {
  now: Date
  /** The offset of product time from real time. */
  offset: number
  sent: SentTransfers
  /** The paying wallets of the log. */
  wallets: ReadonlySet<string>
}

interface Payouts {
  facts: Fact[]
  /** Whether some payments are not published because their transactions could not be read. */
  isIncomplete: boolean
}

interface WithdrawalRow {
  id: string
  user_id: string
  amount: string
  fee: string
  to_address: Hex
  status: string
  signed_message: string
  transaction_hash: Hex | null
  transfer_ordinal: number | null
  requested_at: string
  /** In product time. */
  closed_at: string | null
  wallet: Hex | null
}

/** Withdrawals that were accepted, paid or refunded since the last publication, and other transfers from our wallets. */
export async function payoutFacts(em: EntityManager, options: Options): Promise<Payouts> {
  const rows = await sql<WithdrawalRow>(
    em,
    `select w.id, w.user_id, w.amount, w.fee, w.to_address, w.status, w.signed_message, w.transaction_hash, w.transfer_ordinal,
       w.requested_at, coalesce(w.completed_at, w.refunded_at) as closed_at, p.wallet_address as wallet
     from withdrawals w left join payouts p on p.withdrawal_id = w.id and p.state = 'paid' and p.final_hash = w.transaction_hash
     where not exists (select from register_entries e where e.subject = 'withdrawal:' || w.id || ':closed')
       and (w.status in ('completed', 'failed') or not exists (select from register_entries e where e.subject = 'withdrawal:' || w.id || ':accepted'))
     order by w.requested_at, w.id`,
  )
  let isIncomplete = false
  const facts = rows.flatMap((row) => {
    const fact = withdrawalFact(row, options)
    isIncomplete ||= fact === undefined
    return fact ?? []
  })
  const others = await otherFacts(em, options)
  return { facts: [...facts, ...others.facts], isIncomplete: isIncomplete || others.isIncomplete }
}

/** Undefined if the paying wallet is not known. */
function withdrawalFact(row: WithdrawalRow, { now, offset, sent, wallets }: Options): Fact | undefined {
  const requested = new Date(row.requested_at)
  const closed = row.closed_at ? later(new Date(new Date(row.closed_at).getTime() - offset), requested) : requested
  const time = earlier(closed, now)
  const { transaction_hash: transactionHash, transfer_ordinal: transferOrdinal } = row
  const isPaid = row.status === 'completed' && transactionHash !== null && transferOrdinal !== null
  const transfer = isPaid ? { transaction: transactionHash, ordinal: transferOrdinal } : null
  const paidBy = transfer && (row.wallet ?? sent.walletOf(transfer))
  if (paidBy === undefined) return undefined
  // A wallet that was replaced before the register began has signed nothing for it: its payments are as if paid from elsewhere.
  const wallet = paidBy && wallets.has(paidBy) ? paidBy : null
  const isBooked = isPaid && wallet && row.signed_message === bookedMessage({ transactionHash, transferOrdinal })
  const message = isBooked ? null : messageHash(row.signed_message)
  const terms = { recipient: row.to_address, messageHash: message }
  const fee = BigInt(row.fee)
  const base = { kind: 'payout', time, net: BigInt(row.amount) - fee, fee, request: message && requestOf(message) } as const
  const fact = (entry: Unsealed<'payout'>, subject: 'accepted' | 'closed'): Fact => ({
    subject: `withdrawal:${row.id}:${subject}`,
    time,
    entry,
    identity: entry.request
      ? Buffer.from(entry.request).toString('base64')
      : `${entry.transfer!.transaction} ${entry.transfer!.ordinal}`,
    userId: row.user_id,
    terms,
  })
  if (row.status === 'failed') return fact({ ...base, state: 'refunded', transfer: null, wallet: null }, 'closed')
  if (!isPaid) return fact({ ...base, state: 'accepted', transfer: null, wallet: null }, 'accepted')
  if (isBooked) return fact({ ...base, state: 'booked', transfer, wallet }, 'closed')
  return fact({ ...base, state: wallet ? 'paid' : 'elsewhere', transfer, wallet }, 'closed')
}

/** Sweeps of fees, and transfers that an operator acknowledged as no payment of an account. */
async function otherFacts(em: EntityManager, { now, sent }: Options): Promise<Payouts> {
  const rows = await sql<{ hash: Hex; at: string; state: 'sweep' | 'foreign' }>(
    em,
    `select final_hash as hash, coalesce(settled_at, signed_at) as at, 'sweep' as state from payouts
     where withdrawal_id is null and state = 'paid' and final_hash is not null
     union all
     select target, at, 'foreign' from audit_entries where action = 'payouts.acknowledge'
     order by at`,
  )
  const known = await sql<{ identity: string }>(
    em,
    `select identity from register_entries where kind = 'payout' and user_id is null`,
  )
  const published = new Set(known.map(({ identity }) => identity))
  const ofAccounts = await sql<{ identity: string }>(
    em,
    `select transaction_hash || ' ' || transfer_ordinal as identity from withdrawals
     where transfer_ordinal is not null and transaction_hash = any($1)`,
    [rows.map(({ hash }) => hash)],
  )
  const paid = new Set(ofAccounts.map(({ identity }) => identity))
  const facts: Fact[] = []
  let isIncomplete = false
  for (const { hash, at, state } of rows) {
    const transfers = sent.transfersOf(hash)
    if (!transfers) {
      isIncomplete ||= ![...published].some((identity) => identity.startsWith(hash))
      continue
    }
    for (const { ordinal, wallet, amount: net } of transfers) {
      const identity = `${hash} ${ordinal}`
      if (published.has(identity) || paid.has(identity)) continue
      published.add(identity)
      const time = earlier(new Date(at), now)
      const transfer = { transaction: hash, ordinal }
      const entry = { kind: 'payout', time, state, transfer, wallet, net, fee: 0n, request: null } as const
      facts.push({ subject: `transfer:${identity}`, time, entry, identity, userId: null, terms: null })
    }
  }
  return { facts, isIncomplete }
}

/** The transactions whose transfers must be read from the chain before these facts are written. */
export async function findUnreadTransactions(em: EntityManager): Promise<Hex[]> {
  const rows = await sql<{ hash: Hex }>(
    em,
    `with published as (
       select left(identity, 66) as hash from register_entries where kind = 'payout' and user_id is null
     ), wanted as (
       select final_hash as hash from payouts where withdrawal_id is null and state = 'paid' and final_hash is not null
       union select target from audit_entries where action = 'payouts.acknowledge'
     )
     select hash from wanted where hash not in (select hash from published)
     union
     select w.transaction_hash from withdrawals w
     where w.status = 'completed' and not exists (select from register_entries e where e.subject = 'withdrawal:' || w.id || ':closed')
       and not exists (select from payouts p where p.withdrawal_id = w.id and p.state = 'paid' and p.final_hash = w.transaction_hash)`,
  )
  return rows.map(({ hash }) => hash)
}
