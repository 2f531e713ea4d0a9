import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { SECOND } from '#shared/dates.ts'
import { createClient } from '#shared/contract/client.ts'
import { advanceDemoClock } from '#shared/contract/demo.ts'
import { createRandom, type Random } from './createRandom.ts'
import type { DatabaseServer } from './DatabaseServer.ts'
import type { FaultKind, PlannedFault } from './makePlan.ts'
import { reorganize } from './reorganize.ts'
import type { Run } from './Run.ts'
import { runOperator } from './runOperator.ts'
import type { World } from './startWorld.ts'
import type { RpcFault } from './startRpcProxy.ts'

/** The time that a restore waits for a payout that it will lose, in milliseconds. */
const PAYOUT_TIMEOUT = 60 * SECOND

/** Ends a fault. */
export type EndFault = () => Promise<void> | void

export type ChaosWorld = World<DatabaseServer>
export interface ChaosRun extends Run {
  world: ChaosWorld
}

type Inject = (run: ChaosRun, random: Random) => Promise<EndFault | undefined> | EndFault | undefined

const faults: Record<FaultKind, Inject> = {
  processKilled({ world }, random) {
    random.oneOf(world.members).kill()
    return undefined
  },

  processPaused({ world }, random) {
    const member = random.oneOf(world.members)
    member.pause()
    return () => member.wake()
  },

  /** Pauses a leader and closes its connections, so that another process leads when it resumes. */
  async leaderDeposed({ world }, random) {
    const member = random.oneOf(world.members.filter(({ role }) => role !== 'web'))
    member.pause()
    await world.database
      .query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [member.name])
      .catch(() => {})
    return () => member.wake()
  },

  async databaseStopped({ world }) {
    await world.database.down('stopped')
    return () => world.database.up()
  },

  async databaseCrashed({ world }) {
    await world.database.down('killed')
    return () => world.database.up()
  },

  async connectionsCut({ world }, random) {
    const share = random.oneOf([1, 2, 5])
    await world.database
      .query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and pid % $1 = 0`,
        [share],
      )
      .catch(() => {})
    return undefined
  },

  async connectionsExhausted({ world }) {
    const clients: pg.Client[] = []
    for (let isLeft = true; isLeft; ) {
      const some = Array.from(
        { length: 20 },
        () => new pg.Client({ connectionString: world.database.url, application_name: 'chaos' }),
      )
      const connected = await Promise.allSettled(
        some.map((client) => {
          client.on('error', () => {})
          return client.connect()
        }),
      )
      clients.push(...some)
      isLeft = connected.every(({ status }) => status === 'fulfilled')
    }
    return async () => void (await Promise.allSettled(clients.map((client) => client.end())))
  },

  descriptorsExhausted({ world }, random) {
    return random.oneOf(world.members).limitDescriptors(random.between(8, 30))
  },

  rpcErrors: (run, random) => failEndpoints(run, random, { kind: 'errors' }),
  rpcTimeouts: (run, random) => failEndpoints(run, random, { kind: 'timeouts' }),
  rpcHangUps: (run, random) => failEndpoints(run, random, { kind: 'hangUps' }),
  rpcLag: (run, random) => failEndpoints(run, random, { kind: 'lag', blocks: random.between(2, 10) }),
  /** Only one endpoint returns wrong answers: the product cannot detect two that agree. */
  rpcWrongAnswers({ world }, random) {
    const [endpoint] = random.oneOf([world.payment, world.reward]).endpoints
    return endpoint!.fail({ kind: 'wrongAnswers' }, random.between(0, 1_000))
  },
  rpcInventedPayments({ world }, random) {
    const [endpoint] = world.payment.endpoints
    return endpoint!.fail({ kind: 'inventedPayments' }, random.between(0, 1_000))
  },

  async blocksReorganized({ world, history }, random) {
    const chain = random.oneOf([world.payment, world.reward])
    await reorganize(chain, { depth: random.between(1, 10), random, history })
    return undefined
  },

  async jobsDuplicated({ world }) {
    await world.database
      .query('insert into pgboss.job (name, data) select name, data from pgboss.job where created_on > now() - $1::interval', [
        '1 minute',
      ])
      .catch(() => {})
    return undefined
  },

  async jobsDelayed({ world }, random) {
    await world.database
      .query(`update pgboss.job set start_after = now() + $1::int * interval '1 second' where state = 'created'`, [
        random.between(1, 10),
      ])
      .catch(() => {})
    return undefined
  },

  async clockMoved({ world }, random) {
    const call = createClient({ baseUrl: world.url })
    const advanceHours = random.oneOf([1, 6, 25, 49])
    await call(advanceDemoClock, { body: { advanceHours } }, { signal: AbortSignal.timeout(5_000) }).catch(() => {})
    return undefined
  },

  async mailServerDown({ world }) {
    await world.mail.down()
    return () => world.mail.up()
  },

  async tableSpaceFull({ world }) {
    await world.database.tableDisk?.fill()
    return async () => {
      world.database.tableDisk?.release()
      // The server may have crashed and failed to recover without space.
      await world.database.recover()
    }
  },

  async walFull({ world }) {
    await world.database.exhaustWal()
    return async () => {
      world.database.walDisk?.release()
      // Fails while the other disk is full. The server then starts when that fault ends.
      await world.database.up().catch(() => {})
    }
  },

  /** Restores a backup, which loses everything written since, including payouts. The processes are stopped, as the README requires. */
  async backupRestored({ world, history }) {
    // The start of the backup: rows written during it may be missing.
    const backedUpAt = Date.now()
    await persist(() => world.database.backUp())
    return async () => {
      await waitForPayout(world, { since: new Date(backedUpAt) })
      for (const member of world.members) member.kill()
      await persist(() => world.database.restore())
      for (const member of world.members) member.kill()
      history.restore = { backedUpAt, restoredAt: Date.now() }
      // Fails while the chain's endpoints or the server do.
      await persist(async () => {
        const { code, output } = await runOperator(world, 'review-payments', 'none')
        if (code !== 0) throw new Error(output)
      })
    }
  },

  async migrationUnderLoad({ world }) {
    await migrate(world.database.url)
    return undefined
  },
}

/** Waits for a payout that the restore will lose. Other faults may prevent payouts for a long time. */
async function waitForPayout({ database }: ChaosWorld, { since }: { since: Date }): Promise<void> {
  const deadline = Date.now() + PAYOUT_TIMEOUT
  while (Date.now() < deadline) {
    const paid = await database
      .query(`select from payouts where state = 'paid' and signed_at > $1 limit 1`, [since])
      .catch(() => [])
    if (paid.length > 0) return
    await delay(500)
  }
}

/** Retries until it succeeds, because another fault may keep the server down. */
async function persist(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch {
      await delay(500)
    }
  }
}

/** Adds and drops a column of the busiest tables, each in one transaction, like a migration of a release during operation. */
async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'chaos' })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(`select pg_advisory_lock(hashtext('prepare-database'))`)
    for (const change of ['add column next_release text', 'drop column next_release']) {
      await client.query(`begin; set local lock_timeout = '2s'`)
      for (const table of ['withdrawals', 'purchases', 'deposits', 'supply', 'payouts'])
        await client.query(`alter table ${table} ${change}`)
      await client.query('commit')
      await delay(500)
    }
  } catch {
    // The lock timed out, as a real release would before a retry.
  } finally {
    await client.end().catch(() => {})
  }
}

function failEndpoints({ world }: ChaosRun, random: Random, fault: RpcFault): EndFault {
  const { endpoints } = random.oneOf([world.payment, world.reward])
  const which = random.oneOf([[0], [1], [0, 1]])
  const heals = which.map((index) => endpoints[index]!.fail(fault, random.between(0, 1_000)))
  return () => {
    for (const heal of heals) heal()
  }
}

export const injectFault = async (run: ChaosRun, { kind, seed }: PlannedFault): Promise<EndFault> =>
  (await faults[kind](run, createRandom(seed))) ?? (() => {})
