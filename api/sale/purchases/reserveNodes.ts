import type { MikroORM } from '@mikro-orm/postgresql'
import type { Reservation } from '#shared/contract/purchases.ts'
import { waitStartOf } from '#api/platform/clock/readWaitStart.ts'
import { type Batcher, createBatcher } from '#api/platform/db/createBatcher.ts'
import { DomainError } from '#api/platform/errors.ts'
import { readSettings, type Settings } from '../settings/readSettings.ts'
import type { Services } from '#api/platform/services.ts'
import { type Buyer, type BatchContext, decideReservation, type Granted, type ReservationRequest } from './decideReservation.ts'
import { insufficientSupply } from './errors.ts'
import type { Funds, ReadFunds } from './readFunds.ts'
import { cancelReplaced, lockAll, readBuyers, reserveAtOnce, writeReservations } from './reservationRows.ts'

export type ReserveNodes = Batcher<ReservationRequest, Reservation>

interface ReserveServices extends Pick<Services, 'orm' | 'clock' | 'config' | 'onDecided'> {
  readFunds: ReadFunds
}

/**
 * Reserves nodes, first come, first served.
 *
 * Requests that wait at the same time are decided together, each separately and in the order of arrival, and answered after the commit. A
 * refused request writes nothing.
 *
 * The accounts are first read without a lock. That refuses a request for more nodes than are left: nodes and holds are of one snapshot,
 * so the answer was true at that moment, and released nodes are sold to the next request. Accounts that hold nothing are granted their nodes
 * by one statement, which checks under the lock of the supply that they still hold nothing (decisions/0050). The others share one transaction, in
 * which the supply row is locked once and everything is read again. Balances were read before the rush; a balance that is not known, or does
 * not suffice, is read from the chain before a request is refused for it (decisions/0044).
 */
export function createReserveNodes(services: ReserveServices): ReserveNodes {
  return createBatcher<ReservationRequest, Reservation>({
    maxSize: 200,
    groupOf: ({ userId }) => userId,
    orderOf: ({ arrival }) => arrival,
    run: (requests) => new ReservationBatch(services, requests).run(),
  })
}

/** What was read without a lock. */
interface Reading extends BatchContext {
  settings: Settings
  buyers: ReadonlyMap<string, Buyer>
}

/** Requests that are decided together. */
class ReservationBatch {
  readonly #services: ReserveServices
  readonly #requests: readonly ReservationRequest[]
  readonly #answers = new Map<ReservationRequest, Reservation | DomainError>()
  readonly #funds = new Map<ReservationRequest, Funds | undefined>()
  /** The requests whose balance was read from the chain in this batch. */
  readonly #read = new Set<ReservationRequest>()

  constructor(services: ReserveServices, requests: readonly ReservationRequest[]) {
    this.#services = services
    this.#requests = requests
  }

  async run(): Promise<(Reservation | DomainError)[]> {
    const reading = await this.#readUnlocked()
    const unread = this.#refuseSoldOut(reading)
    await this.#readFunds(unread)
    if (unread.length === 0) await this.#grantAtOnce(reading)
    await this.#decideTogether(this.#undecided())
    // The supply or the account's holds have changed since it was read: no request is refused for a balance of before the rush.
    const refused = this.#requests.filter(
      (request) => !this.#read.has(request) && isRefusal(this.#answers.get(request), 'insufficient_usdt'),
    )
    await this.#readFunds(refused)
    await this.#decideTogether(refused)
    this.#services.onDecided?.(this.#requests.map(({ arrival }) => arrival))
    return this.#requests.map((request) => this.#answers.get(request)!)
  }

  async #readUnlocked(): Promise<Reading> {
    const { orm } = this.#services
    const context = this.#contextNow()
    const [buyers, settings] = await Promise.all([
      readBuyers(orm.em.fork(), this.#requests, { now: context.now }),
      readSettings(orm.em.fork(), context.now),
    ])
    const now = timeOf(context, buyers)
    return { ...context, now, settings: now === context.now ? settings : await readSettings(orm.em.fork(), now), buyers }
  }

  /**
   * Refuses the requests for which too few nodes were left, and notes the balances that are known for the others.
   *
   * @returns those whose balance must be read from the chain.
   */
  #refuseSoldOut({ buyers, ...context }: Reading): ReservationRequest[] {
    const unread: ReservationRequest[] = []
    for (const request of this.#requests) {
      const buyer = buyers.get(request.userId)
      const funds = knownFundsOf(buyer)
      const decision = decideReservation(request, {
        ...context,
        remaining: buyer?.remaining ?? 0,
        buyer,
        markId: undefined,
        funds,
      })
      if (isRefusal(decision, 'insufficient_supply')) this.#answers.set(request, decision)
      else if (isRefusal(decision, 'insufficient_usdt') || !funds) unread.push(request)
      this.#funds.set(request, funds)
    }
    return unread
  }

  async #readFunds(requests: readonly ReservationRequest[]): Promise<void> {
    const balances = await Promise.all(requests.map(({ userId }) => this.#services.readFunds(userId)))
    requests.forEach((request, index) => this.#funds.set(request, balances[index]))
    for (const request of requests) this.#read.add(request)
  }

  /** Grants all undecided requests in order, or none if one of them needs more than what is read. */
  async #grantAtOnce({ buyers, ...context }: Reading): Promise<void> {
    const undecided = this.#undecided()
    const granted: Granted[] = []
    let remaining = buyers.values().next().value?.remaining ?? 0
    for (const request of undecided) {
      const buyer = buyers.get(request.userId)
      if (!buyer || buyer.open || buyer.unpaid_nodes > 0 || buyer.answered) return
      const markId = buyer.mark_id ?? undefined
      const decision = decideReservation(request, { ...context, remaining, buyer, markId, funds: this.#funds.get(request) })
      if (isRefusal(decision, 'insufficient_supply')) continue
      if (!('reservation' in decision)) return
      granted.push(decision)
      remaining -= request.quantity
    }
    const left = granted.length > 0 ? await reserveAtOnce(this.#services.orm.em.fork(), granted, context) : null
    if (left === null) return
    for (const { request, reservation } of granted) this.#answers.set(request, reservation)
    for (const request of undecided)
      if (!this.#answers.has(request) && request.quantity > left) this.#answers.set(request, insufficientSupply(left))
  }

  async #decideTogether(requests: readonly ReservationRequest[]): Promise<void> {
    if (requests.length === 0) return
    const decided = await retryAfterDeadlock(() =>
      // Reading balances may have taken seconds, so time and settings are those of now.
      reserveTogether(this.#services.orm, requests, { ...this.#contextNow(), funds: this.#funds }),
    )
    requests.forEach((request, index) => this.#answers.set(request, decided[index]!))
  }

  #undecided(): ReservationRequest[] {
    return this.#requests.filter((request) => !this.#answers.has(request))
  }

  #contextNow(): BatchContext {
    const { clock, config } = this.#services
    return { now: clock.now(), productNow: clock.productNow(), depositAddress: config.DEPOSIT_ADDRESS }
  }
}

const isRefusal = (decision: unknown, code: DomainError['code']): decision is DomainError =>
  decision instanceof DomainError && decision.code === code

const knownFundsOf = (buyer: Buyer | undefined): Funds | undefined =>
  buyer?.wallet_address && buyer.known_balance !== null
    ? { wallet: buyer.wallet_address, latest: BigInt(buyer.known_balance), atRead: undefined }
    : undefined

/** PostgreSQL aborts one of two deadlocked transactions. It is rolled back completely, so it can be retried. */
const retryAfterDeadlock = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === '40P01') return work()
    throw error
  })

/**
 * The time of requests. A server whose clock is far behind would date them before payments that others have already sent, sell at a price of
 * earlier, and let them expire before they can be paid.
 */
function timeOf({ now }: Pick<BatchContext, 'now'>, buyers: ReadonlyMap<string, Buyer>): Date {
  const [buyer] = buyers.values()
  return buyer ? waitStartOf(now, new Date(buyer.read_at)) : now
}

async function reserveTogether(
  orm: MikroORM,
  requests: readonly ReservationRequest[],
  { funds, ...asked }: BatchContext & { funds: ReadonlyMap<ReservationRequest, Funds | undefined> },
): Promise<(Reservation | DomainError)[]> {
  const reading = readSettings(orm.em.fork(), asked.now)
  const reserving = orm.em.fork().transactional(async (em) => {
    const locked = await lockAll(em, requests, asked.now)
    // Every reservation requires the lock of the supply row, so no other is made from here on.
    const buyers = await readBuyers(em, requests, { now: asked.now, isLocked: true })
    const context = { ...asked, now: timeOf(asked, buyers) }
    const settings = context.now === asked.now ? await reading : await readSettings(em, context.now)

    let { remaining } = locked
    const granted: Granted[] = []
    const answers = requests.map((request): Reservation | DomainError => {
      const decision = decideReservation(request, {
        ...context,
        settings,
        remaining,
        buyer: buyers.get(request.userId),
        markId: locked.marks.get(request.userId),
        funds: funds.get(request),
      })
      if (!('reservation' in decision)) return decision
      remaining -= request.quantity - (decision.replaces?.held_quantity ?? 0)
      granted.push(decision)
      return decision.reservation
    })

    if (granted.length > 0) {
      await cancelReplaced(em, granted, context)
      await writeReservations(em, granted, context)
    }
    return answers
  })
  const [answers] = await Promise.all([reserving, reading])
  return answers
}
