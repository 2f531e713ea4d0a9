import { type ExpressionBuilder, sql } from 'kysely'
import type { Address, Hash } from 'viem'
import { LeadershipLost } from '#api/platform/db/lead.ts'
import { openStatuses } from '#api/entities/Purchase.ts'
import type { Tables } from '#api/entities/tables.ts'
import { isRestored } from '../purchases/restoredDatabase.ts'
import { nodePriceOf, readSettings } from '../settings/readSettings.ts'
import { ignoreDust, isSmall } from './ignoreDust.ts'
import { settleDeposits } from './settleDeposits.ts'
import { verifyTransactions } from './verifyTransactions.ts'
import type { Watch } from './Watch.ts'

interface DueDeposit {
  id: string
  hash: Hash
  sender: Address
  isLast: boolean
  blockNumber: bigint
}

/** A payment that is not verified so many blocks after it was final waits for more than a lagging endpoint. */
const MAX_VERIFICATION_LAG = 1_000n

/** Number of deposits settled or verified before the chain is read again; it limits the delay of newly mined payments. */
export const PAGE_SIZE = 200

/** Small transfers that only one endpoint shows, unless their sender has since opened a request, of which they may be a part. */
const isLast = sql<boolean>`(d.needs_receipt and not exists (select from purchases p
  where p.wallet = d.sender and (p.status in ('reserved', 'pending', 'manual_review') or p.owed_deposit)))`

/**
 * Settles the final deposits page by page: dust, many in one statement, then deposits that fit an open request, then payments of at least a node,
 * then the rest. A large number of small transfers thus delays no buyer.
 *
 * A pass remembers the transactions that could not be settled and leaves them for the next pass, so that they do not block others.
 */
export class SettlingPass {
  readonly #watch: Watch
  readonly #deferred = new Set<Hash>()

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** @returns whether more may be due. */
  async settlePage(): Promise<boolean> {
    const watch = this.#watch
    const finalNumber = await watch.readFinal()
    if (finalNumber === undefined) return false
    const now = watch.services.clock.now()
    if (!(await this.#isAnythingFinal(finalNumber)) || !(await watch.maySettle())) return false
    const verifiedNumber = await watch.readVerifiedNumber()
    const upTo = verifiedNumber < finalNumber ? verifiedNumber : finalNumber
    let from: bigint | undefined = 0n
    while (from !== undefined) {
      const first: bigint = from
      from = await watch.write((em) => ignoreDust(em, { from: first, upTo, now }))
    }

    const due = await this.#readDue(finalNumber, verifiedNumber)
    if (due.length === 0) return false
    const hashes = [...new Set(due.map(({ hash }) => hash))]
    const { verified, absent, changed } = await verifyTransactions(watch, { hashes, finalNumber, isReread: false })
    watch.changedTransactions.push(...changed)
    await watch.write((em) => ignoreDust(em, { upTo: finalNumber, now, verified }))
    const isVerified = new Set(verified)
    for (const hash of hashes) if (!isVerified.has(hash)) this.#deferred.add(hash)
    const isKnown = new Set([...verified, ...absent])
    const late = due.filter(({ hash, blockNumber }) => !isKnown.has(hash) && blockNumber < finalNumber - MAX_VERIFICATION_LAG)
    if (late.length > 0) watch.alertUnverified([...new Set(late.map(({ hash }) => hash))])

    const settling = due.filter(({ hash }) => isVerified.has(hash))
    for (const deposits of Map.groupBy(settling, ({ sender }) => sender).values()) await this.#settle(deposits)
    // The last ones may be any number. They take one page of each round.
    return due.length === PAGE_SIZE && !due.at(-1)!.isLast
  }

  async #isAnythingFinal(finalNumber: bigint): Promise<boolean> {
    return (await this.#selectFinal(finalNumber).select('d.id').limit(1).executeTakeFirst()) !== undefined
  }

  async #readDue(finalNumber: bigint, verifiedNumber: bigint): Promise<DueDeposit[]> {
    const price = nodePriceOf(await readSettings(this.#watch.services.orm.em.fork()))
    return this.#selectFinal(finalNumber)
      .where((eb) =>
        eb.or([eb('d.blockNumber', '<=', verifiedNumber), eb('d.state', '<>', 'seen'), sql<boolean>`not ${sql.raw(isSmall)}`]),
      )
      .select(['d.id', 'd.transactionHash as hash', 'd.sender', isLast.as('isLast')])
      .select((eb) => eb.ref('d.blockNumber').$notNull().as('blockNumber'))
      .orderBy(
        ({ exists, selectFrom }) =>
          exists(
            selectFrom('purchases as p')
              .select('p.id')
              .whereRef('p.wallet', '=', 'd.sender')
              .whereRef('p.amount', '=', 'd.amount')
              .where('p.status', 'in', openStatuses),
          ),
        'desc',
      )
      .orderBy(isLast)
      .orderBy((eb) => eb('d.amount', '>=', price), 'desc')
      .orderBy('d.blockNumber')
      .orderBy('d.logIndex')
      .limit(PAGE_SIZE)
      .execute()
  }

  /** Final and not settled, or orphaned and reported in a block again, unless that waits for an administrator. */
  #selectFinal(finalNumber: bigint) {
    return this.#watch.read
      .selectFrom('deposits as d')
      .where((eb) =>
        eb.or([
          eb('d.state', '=', 'seen'),
          eb.and([eb('d.stateBeforeOrphaned', 'is not', null), isNoneOf(eb, this.#watch.changedTransactions)]),
        ]),
      )
      .where('d.blockNumber', '<=', finalNumber)
      .where((eb) => isNoneOf(eb, [...this.#deferred]))
  }

  /** Settles one sender's deposits together, because they depend on each other. If that fails, settles them one by one. */
  async #settle(deposits: readonly DueDeposit[]): Promise<void> {
    const watch = this.#watch
    try {
      await watch.write(async (em) => {
        // While these were verified a dump may have been restored. Until this transaction ends, none can replace the table asked here.
        if (await isRestored(em)) return
        await settleDeposits(
          em,
          watch.services,
          deposits.map(({ id }) => id),
        )
      })
    } catch (error) {
      if (error instanceof LeadershipLost) throw error
      if (deposits.length > 1) for (const deposit of deposits) await this.#settle([deposit])
      else {
        const [{ id, hash }] = deposits as [DueDeposit]
        this.#deferred.add(hash)
        watch.alertOnce(id, `The deposit ${hash} could not be settled and is retried: ${String(error)}`)
      }
    }
  }
}

const isNoneOf = (eb: ExpressionBuilder<Tables & { d: Tables['deposits'] }, 'd'>, hashes: readonly Hash[]) =>
  eb('d.transactionHash', '<>', sql<Hash>`all(${hashes}::text[])`)
