import type { MikroORM } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import type { nodeKinds } from '#shared/contract/nodes.ts'
import { sql } from '#api/platform/db/sql.ts'
import { newId } from '#api/platform/db/newId.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { allocateNodes } from '#api/sale/supply/allocateNodes.ts'
import { lockSupply } from '#api/sale/supply/lockSupply.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { makeUser } from './factories.ts'
import { clockTimeSources, FakeClock } from './FakeClock.ts'
import { findDifferences } from './findDifferences.ts'
import { onCleanup } from './onCleanup.ts'

const NODE_PRICE = parseAmount('3')!

export interface GivenNodes {
  nodes?: number
  kind?: (typeof nodeKinds)[number]
  /** Product time; the time of the allocation by default. */
  activeFrom?: string
}

export interface Holders {
  database: TestDatabase
  orm: MikroORM
  clock: FakeClock
  /** Sets real time and product time. */
  at(time: string): void
  /** Creates a user with nodes allocated at the clock's time. Returns the user's id. */
  openHolder(given?: GivenNodes): Promise<string>
  giveNodes(userId: string, given?: GivenNodes): Promise<void>
  setRate(rate: string): Promise<void>
  /** Runs the worker's payment of due days once. */
  pay(): Promise<void>
  /** Returns day, rate, users, nodes and amount of every run. */
  runs(): Promise<string[]>
  balance(id: string): Promise<string>
  /** Returns all differences that the audit finds. */
  differences(): Promise<string[]>
}

/** Node holders on a new database, and a worker that the test runs. */
export async function startHolders(): Promise<Holders> {
  const database = await createDatabase()
  onCleanup(() => database.release())
  return holdersOf({ database, clock: new FakeClock() })
}

/** The same on an existing database. */
export function holdersOf({ database, clock }: Pick<Holders, 'database' | 'clock'>): Holders {
  const { orm } = database

  const giveNodes: Holders['giveNodes'] = (userId, { nodes = 1, kind = 'paid', activeFrom } = {}) =>
    orm.em.fork().transactional(async (em) => {
      const now = clock.productNow()
      const active = activeFrom ? new Date(activeFrom) : now
      const purchase = em.create(Purchase, {
        id: newId(),
        user: userId,
        status: 'confirmed',
        requestedQuantity: nodes,
        finalQuantity: nodes,
        unitPrice: kind === 'paid' ? NODE_PRICE : 0n,
        amount: kind === 'paid' ? NODE_PRICE * BigInt(nodes) : 0n,
        // As an administrator confirms it before its payment arrives.
        owedDeposit: kind === 'paid',
        createdAt: now,
        openedAt: now,
        confirmedAt: now,
        postedAt: now,
      })
      const supply = await lockSupply(em)
      supply[kind] += nodes
      await em.flush()
      await allocateNodes(em, {
        kind,
        shares: [{ userId, purchaseId: purchase.id, quantity: nodes }],
        // Nodes become active at most a day after their allocation.
        allocatedAt: new Date(Math.max(now.getTime(), active.getTime() - DAY)),
        activeFrom: active,
      })
    })

  return {
    database,
    orm,
    clock,
    at: (time) => clock.set(new Date(time)),
    async openHolder(given) {
      const { user } = await makeUser(orm.em.fork(), { now: clock.now() })
      await giveNodes(user.id, given)
      return user.id
    },
    giveNodes,
    setRate: (value) =>
      orm.em.fork().transactional((em) => changeSetting(em, { key: 'xcr_per_node_daily', value, effectiveAt: clock.now() })),
    pay: () => payDueDays({ orm, clock, timeSources: clockTimeSources(clock) }),
    async runs() {
      const rows = await sql<{ day: string; rate: string; users: number; nodes: number; amount: string }>(
        orm.em.fork(),
        'select day::text, rate, users, nodes, amount from reward_runs where paid_at is not null order by day',
      )
      return rows.map(
        ({ day, rate, users, nodes, amount }) =>
          `${day} at ${formatAmount(BigInt(rate))}: ${users} users, ${nodes} nodes, ${formatAmount(BigInt(amount))}`,
      )
    },
    async balance(id) {
      const [row] = await sql<{ balance: string }>(orm.em.fork(), 'select balance from accounts where id = $1', [id])
      return formatAmount(BigInt(row?.balance ?? 0))
    },
    differences: () => findDifferences(orm, { now: clock.now(), productNow: clock.productNow() }),
  }
}
