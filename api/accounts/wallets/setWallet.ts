import type { EntityManager } from '@mikro-orm/postgresql'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Address } from 'viem'
import { getAuthUser } from '#shared/contract/identity.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { newId } from '#api/platform/db/newId.ts'
import { lockNamed, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import { query, type Tables } from '#api/entities/tables.ts'
import { openStatuses } from '#api/entities/Purchase.ts'
import { refusal } from '#api/platform/errors.ts'
import { requireNotFrozen } from '../users/frozen.ts'
import { extendHolds } from '../users/holdWithdrawals.ts'
import { walletReplacedAt } from './walletReplacedAt.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'

export interface WalletChange {
  user: Owner
  /** Null removes the registered one. */
  address: Address | null
  /** Whether the request includes a signature of the wallet. */
  proven: boolean
  clientAddress: string
  /** Real time. */
  now: Date
}

/** How long an address remains reserved for its account after a purchase request with it has ended (money.md 13). */
const BINDING_PERIOD = '24 hours'

const taken = (message: string) => refusal(409, 'wallet_taken', message)

/**
 * Registers, replaces or removes the wallet of an account.
 *
 * An address belongs to one account. An address registered without a proof goes to the account that proves it (money.md 16), and
 * so does one that is bound only by requests of accounts without a proof (money.md 13): anybody can enter an address and reserve
 * nodes with its balance, but only its owner can sign.
 *
 * @throws 409 `wallet_taken`, `account_frozen`.
 */
export async function setWallet(
  em: EntityManager,
  services: Pick<Services, 'clock' | 'jobs' | 'config'>,
  { user, address, proven, clientAddress, now }: WalletChange,
): Promise<void> {
  await lockWallets(em)
  const account = await query(em).selectFrom('users').select('walletAddress').where('id', '=', user.id).executeTakeFirst()
  const before = account?.walletAddress ?? null
  const audit = auditOf(user, clientAddress)

  if (before === address) {
    if (address && proven) await proveWallet(em, services, { user, address, clientAddress })
    return
  }
  await requireNotFrozen(em, services.clock, user.id)
  const changedAt = await readChangeTime(em, services)

  if (address) {
    const holder = await requireFree(em, services.clock, { userId: user.id, address, proven })
    if (holder) {
      await endRegistration(em, { userId: holder.id, changedAt })
      recordAudit(em, { ...audit, action: 'wallet.yield', target: holder.email, before: { address }, after: { address: null } })
      await recordChange(em, { userId: holder.id, keys: [getAuthUser.path] })
      await notifyOwner(em, services, {
        to: holder,
        topic: 'security',
        link: null,
        subject: 'A wallet address was removed from your account',
        paragraphs: [
          'Another account proved with a signature that it owns this wallet. It was registered to your account without a signature, so it has been removed.',
          'Connect a wallet and sign its message to register one again.',
        ],
        facts: [
          ['Wallet', address],
          ['Time', now],
        ],
      })
    }
  }
  await endRegistration(em, { userId: user.id, changedAt })
  let isHeld = false
  if (address) {
    await query(em).updateTable('users').set({ walletAddress: address }).where('id', '=', user.id).execute()
    await query(em)
      .insertInto('wallet_registrations')
      .values({ id: newId(), user: user.id, address, registeredAt: changedAt, provenAt: proven ? changedAt : null })
      .execute()
    const replacedAt = await walletReplacedAt(em, { userId: user.id, wallet: address, now: changedAt })
    isHeld = replacedAt?.getTime() === changedAt.getTime()
    if (isHeld) await extendHolds(em, { userId: user.id, now })
  }

  const action = !address ? 'wallet.remove' : before ? 'wallet.replace' : 'wallet.register'
  recordAudit(em, {
    ...audit,
    action,
    before: { address: before },
    after: { address, proven, ...(isHeld && { holdsWithdrawals: true }) },
  })
  await recordChange(em, { userId: user.id, keys: [getAuthUser.path, listPayments.path] })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: null,
    subject: subjects[action],
    paragraphs: [
      address
        ? 'From now on, you pay for purchases from this wallet, and withdrawals go to it.'
        : 'You need a wallet to buy and withdraw. Connect one to register it.',
      "If this wasn't you, change your password and contact us immediately.",
    ],
    facts: [
      ...(before ? ([['Previous wallet', before]] as const) : []),
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
 * Records that the registered wallet is proven by a signature of any of our messages. Does nothing if it already is, or if the
 * account now has another wallet.
 */
export async function proveWallet(
  em: EntityManager,
  services: Pick<Services, 'clock'>,
  { user, address, clientAddress }: Pick<WalletChange, 'user' | 'clientAddress'> & { address: Address },
): Promise<void> {
  const isUnproven = (eb: ExpressionBuilder<Tables, 'wallet_registrations'>) =>
    eb.and([eb('user', '=', user.id), eb('address', '=', address), eb('removedAt', 'is', null), eb('provenAt', 'is', null)])
  // Read first without the lock: withdrawals nearly always find the wallet proven and need not wait for each other.
  const unproven = await query(em).selectFrom('wallet_registrations').select('id').where(isUnproven).executeTakeFirst()
  if (!unproven) return
  await lockWallets(em)
  await requireNotFrozen(em, services.clock, user.id)
  const registration = await query(em)
    .updateTable('wallet_registrations')
    .set({ provenAt: await readChangeTime(em, services) })
    .where(isUnproven)
    .returning('id')
    .executeTakeFirst()
  if (!registration) return
  recordAudit(em, { ...auditOf(user, clientAddress), action: 'wallet.prove', after: { address } })
  await recordChange(em, { userId: user.id, keys: [getAuthUser.path, listPayments.path] })
}

/** Serializes all changes, which are rare and may affect two accounts. */
export const lockWallets = (em: EntityManager) => lockUntilCommit(em, lockNamed('wallet-changes'))

const auditOf = (user: WalletChange['user'], clientAddress: string) => ({
  actor: `user:${user.email}`,
  target: user.email,
  ipAddress: clientAddress,
})

/**
 * When a change of wallets counts from: by the database's clock if this machine's is far from it, because whose a payment is depends on the
 * order of the changes, and they may be made at different machines.
 */
const readChangeTime = async (em: EntityManager, { clock }: Pick<Services, 'clock'>): Promise<Date> =>
  readWaitStart(em, await clock.dueNow(em))

async function endRegistration(em: EntityManager, { userId, changedAt }: { userId: string; changedAt: Date }): Promise<void> {
  await query(em)
    .updateTable('wallet_registrations')
    .set({ removedAt: changedAt })
    .where('user', '=', userId)
    .where('removedAt', 'is', null)
    .execute()
  await query(em).updateTable('users').set({ walletAddress: null }).where('id', '=', userId).execute()
}

/** Rejects an address of another account. Returns the account that must give it up, if there is one. */
async function requireFree(
  em: EntityManager,
  clock: Pick<Clock, 'dueTime'>,
  { userId, address, proven }: { userId: string; address: Address; proven: boolean },
): Promise<Owner | undefined> {
  const holder = await query(em)
    .selectFrom('users as u')
    .select((eb) => [
      'u.id',
      'u.email',
      'u.language',
      eb
        .exists(
          eb
            .selectFrom('wallet_registrations as r')
            .select('r.id')
            .whereRef('r.user', '=', 'u.id')
            .where('r.address', '=', address)
            .where('r.removedAt', 'is', null)
            .where('r.provenAt', 'is not', null),
        )
        .as('hasProven'),
    ])
    .where('u.walletAddress', '=', address)
    .where('u.id', '<>', userId)
    .executeTakeFirst()
  if (holder && (holder.hasProven || !proven)) {
    throw taken(
      holder.hasProven
        ? 'This wallet address is already registered to another account.'
        : 'This wallet address is already registered to another account. Sign a message in your wallet to prove that it is yours.',
    )
  }
  const boundSince = sql<Date>`${clock.dueTime()} - ${BINDING_PERIOD}::interval`
  const bound = await query(em)
    .selectFrom('purchases as p')
    .select('p.id')
    .where('p.wallet', '=', address)
    .where('p.user', '<>', userId)
    .where((eb) => eb.or([eb('p.status', 'in', openStatuses), eb('p.closedAt', '>', boundSince)]))
    .$if(proven, (purchases) =>
      purchases.where((eb) =>
        eb.exists(
          eb
            .selectFrom('wallet_registrations as r')
            .select('r.id')
            .whereRef('r.user', '=', 'p.user')
            .where('r.address', '=', address)
            .where('r.provenAt', 'is not', null),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  if (bound) {
    throw taken(
      "This wallet address is used by another account's purchase. It becomes available 24 hours after that purchase ends.",
    )
  }
  return holder
}
