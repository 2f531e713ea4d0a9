import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { getAuthUser } from '#shared/contract/identity.ts'
import { DAY } from '#shared/dates.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openStatuses } from '#api/entities/Purchase.ts'
import { refusal } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { mailOwner } from '#api/platform/mail/mailOwner.ts'
import type { Owner } from '#api/platform/mail/Reader.ts'
import type { Services } from '#api/platform/services.ts'

export interface WalletChange {
  user: Owner
  /** Null removes the registered one. */
  address: Address | null
  /** A signature of the wallet was shown with this request. */
  proven: boolean
  clientAddress: string
  /** Real time. */
  now: Date
}

/** How long an address stays its account's after a request with it has ended (money.md 13). */
const BOUND_AFTERWARDS = DAY

const taken = (message: string) => refusal(409, 'wallet_taken', message)

/**
 * Registers, replaces or removes the one wallet of an account.
 *
 * An address is one account's. One that is registered without a proof goes to the account that proves it (money.md 16), and so does
 * one that only requests of accounts without a proof bind (money.md 13): anybody can name an address, and reserve with what lies on
 * it; only its owner can sign.
 */
export async function setWallet(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'config'>,
  { user, address, proven, clientAddress, now }: WalletChange,
): Promise<void> {
  await lockWallets(em)
  const [account] = await sql<{ wallet_address: Address | null }>(em, 'select wallet_address from users where id = $1', [user.id])
  const before = account?.wallet_address ?? null
  const audit = auditOf(user, clientAddress)

  if (before === address) {
    if (address && proven) await proveWallet(em, { user, address, clientAddress, now })
    return
  }

  if (address) {
    const holder = await requireFree(em, { userId: user.id, address, proven, now })
    if (holder) {
      await endRegistration(em, { userId: holder.id, now })
      recordAudit(em, { ...audit, action: 'wallet.yield', target: holder.email, before: { address }, after: { address: null } })
      await recordChange(em, { userId: holder.id, keys: [getAuthUser.path] })
      await mailOwner(em, services, {
        to: holder,
        subject: 'A wallet address was removed from your account',
        paragraphs: [
          'Another account has shown by a signature that this wallet belongs to it. It was registered to your account without one, so it has been removed.',
          'Connect a wallet and sign its message to register one again.',
        ],
        facts: [
          ['Wallet', address],
          ['Time', now],
        ],
      })
    }
  }
  await endRegistration(em, { userId: user.id, now })
  if (address) {
    await sql(em, 'update users set wallet_address = $2 where id = $1', [user.id, address])
    await sql(
      em,
      'insert into wallet_registrations (id, user_id, address, registered_at, proven_at) values ($1, $2, $3, $4, $5)',
      [newId(), user.id, address, now, proven ? now : null],
    )
  }

  const action = !address ? 'wallet.remove' : before ? 'wallet.replace' : 'wallet.register'
  recordAudit(em, { ...audit, action, before: { address: before }, after: { address, proven } })
  await recordChange(em, { userId: user.id, keys: [getAuthUser.path] })
  await mailOwner(em, services, {
    to: user,
    subject: subjects[action],
    paragraphs: [
      address
        ? 'From now on purchases are paid from this wallet, and withdrawals go to it.'
        : 'Purchases and withdrawals need a wallet: connect one to register it.',
      'If this was not you, change your password and write to us at once.',
    ],
    facts: [
      ...(before ? ([['Wallet until now', before]] as const) : []),
      ...(address ? ([['Wallet', address]] as const) : []),
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
}

const subjects = {
  'wallet.register': 'A wallet address was registered for your account',
  'wallet.replace': 'The wallet address of your account was changed',
  'wallet.remove': 'The wallet address of your account was removed',
} as const

/**
 * Takes down that the registered wallet has been proven by a signature, of whatever message of ours. Nothing if it had been, or if the
 * account's wallet is another one by now.
 */
export async function proveWallet(
  em: EntityManager,
  { user, address, clientAddress, now }: Pick<WalletChange, 'user' | 'clientAddress' | 'now'> & { address: Address },
): Promise<void> {
  const unproven = 'user_id = $1 and address = $2 and removed_at is null and proven_at is null'
  // Looked at first, without the lock: withdrawals, which nearly always find it proven, need not wait for each other.
  if ((await sql(em, `select from wallet_registrations where ${unproven}`, [user.id, address])).length === 0) return
  await lockWallets(em)
  const rows = await sql(em, `update wallet_registrations set proven_at = $3 where ${unproven} returning id`, [
    user.id,
    address,
    now,
  ])
  if (rows.length === 0) return
  recordAudit(em, { ...auditOf(user, clientAddress), action: 'wallet.prove', after: { address } })
  await recordChange(em, { userId: user.id, keys: [getAuthUser.path] })
}

/** Changes are rare, and one may touch two accounts: they simply wait for each other. */
const lockWallets = (em: EntityManager) => sql(em, `select pg_advisory_xact_lock(hashtext('wallet-changes'))`)

const auditOf = (user: WalletChange['user'], clientAddress: string) => ({
  actor: `user:${user.email}`,
  target: user.email,
  ipAddress: clientAddress,
})

async function endRegistration(em: EntityManager, { userId, now }: { userId: string; now: Date }): Promise<void> {
  await sql(em, 'update wallet_registrations set removed_at = $2 where user_id = $1 and removed_at is null', [userId, now])
  await sql(em, 'update users set wallet_address = null where id = $1', [userId])
}

/** Refuses an address that is another account's. Answers the account that must yield it, if there is one. */
async function requireFree(
  em: EntityManager,
  { userId, address, proven, now }: { userId: string; address: Address; proven: boolean; now: Date },
): Promise<Owner | undefined> {
  const [holder] = await sql<Owner & { proven: boolean }>(
    em,
    `select id, email, language, exists (
       select from wallet_registrations where user_id = users.id and address = $1 and removed_at is null and proven_at is not null
     ) as proven
     from users where wallet_address = $1 and id <> $2`,
    [address, userId],
  )
  if (holder && (holder.proven || !proven)) {
    throw taken(
      holder.proven
        ? 'This wallet address is already registered to another account.'
        : 'This wallet address is already registered to another account. Sign the message of your wallet to show that it is yours.',
    )
  }
  const bound = await sql(
    em,
    `select from purchases where wallet = $1 and user_id <> $2 and (status = any($3) or closed_at > $4)
       and (not $5 or exists (
         select from wallet_registrations
         where user_id = purchases.user_id and address = $1 and proven_at is not null
       )) limit 1`,
    [address, userId, [...openStatuses], new Date(now.getTime() - BOUND_AFTERWARDS), proven],
  )
  if (bound.length > 0) {
    throw taken(
      'This wallet address belongs to a purchase of another account. It is free 24 hours after that purchase has ended.',
    )
  }
  return holder
}
