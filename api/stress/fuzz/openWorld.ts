import { MikroORM } from '@mikro-orm/postgresql'
import { rm, mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Address } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { createClient } from '#shared/contract/client.ts'
import { createPurchase, createReservation } from '#shared/contract/purchases.ts'
import { rateLimits } from '#api/platform/http/limitRate.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { newId } from '#api/platform/db/newId.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { sql } from '#api/platform/db/sql.ts'
import { DepositWatcher } from '#api/sale/deposits/DepositWatcher.ts'
import { demoRoutes } from '#api/dev/demo/demoRoutes.ts'
import { openRoles } from '#api/dev/openRoles.ts'
import { startPostgres } from '#api/dev/startPostgres.ts'
import { Passkey } from '#api/entities/Passkey.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { ADMIN_ADDRESS, type Callers, openCallers } from '#api/testing/callers.ts'
import { makeAccount, startPaymentChain, startRewardChain, USDT_ADDRESS } from '#api/testing/chains.ts'
import type { TestDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { openSession } from '#api/testing/openSession.ts'
import { openServer, type TestServer } from '#api/testing/server.ts'
import { PUSH_ON } from '#api/testing/testConfig.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { recordWrites } from './recordWrites.ts'

export interface World {
  server: TestServer
  callers: Callers
  /** Ids and values of existing rows, by kind. */
  rows: Record<string, string[]>
  stop(): Promise<void>
}

/** The number of rows of each kind, because accepted requests use them up. */
const ROWS_OF_EACH = 12

/** Starts the product with its own chains, and a user with purchases, withdrawals and payments as targets. */
export async function openWorld({
  url,
  ownerUrl,
  superuser,
}: Pick<TestDatabase, 'url' | 'ownerUrl' | 'superuser'>): Promise<World> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    const failures: unknown[] = []
    for (const end of stops.splice(0).toReversed()) await end().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  try {
    const [chain, rewardChain] = await Promise.all([startPaymentChain(), startRewardChain()])
    stops.push(chain.stop, rewardChain.stop)
    const depositAddress = makeAccount().address.toLowerCase() as Address
    const server = await openServer(
      { url },
      {
        env: {
          ...PUSH_ON,
          DATABASE_OWNER_URL: ownerUrl,
          TRUSTED_PROXIES: '1',
          // The usual limits would refuse almost all requests.
          RATE_LIMITS: Object.keys(rateLimits)
            .map((name) => `${name}=1000000000/60`)
            .join(' '),
          BSC_RPC_URLS: chain.url,
          USDT_ADDRESS,
          DEPOSIT_ADDRESS: depositAddress,
          XCR_RPC_URLS: rewardChain.url,
          XCR_TOKEN_ADDRESS: rewardChain.token,
        },
        extraRoutes: [demoRoutes],
      },
    )
    stops.push(server.stop)
    const { orm, config } = server.services
    const em = () => orm.em.fork()
    await sql(em(), 'update supply set total = 20000')
    await sql(em(), 'update installation set set_up_at = now()')

    const wallet = makeAccount()
    await chain.mintUsdt(wallet.address, parseAmount('10000')!)
    const { user } = await makeUser(em(), { wallet: wallet.address, otp: true })
    await giveXcr(orm, user.id, '100000')
    const callers = await openCallers(server, { userId: user.id })

    const purchases = await openPurchases(server, user.id)

    const stranger = makeAccount()
    await chain.mintUsdt(stranger.address, parseAmount('1000')!)
    const hashes: string[] = []
    for (let payment = 1; payment <= ROWS_OF_EACH; payment += 1)
      hashes.push(await chain.transferUsdt({ from: stranger, to: depositAddress, amount: parseAmount(String(3 * payment))! }))
    await chain.mine(config.PAYMENT_CONFIRMATIONS + 1)
    await sql(em(), `update leaderships set epoch = 1 where role = 'watcher'`)
    const term = { role: 'watcher' as const, epoch: 1 }
    await new DepositWatcher({
      services: server.services,
      endpoints: paymentEndpoints(config),
      term,
      onAlert: () => {},
    }).catchUp()
    const deposits = await sql<{ id: string }>(em(), `select id from deposits where state = 'review' order by id`)

    const withdrawals: string[] = []
    for (let index = 0; index < ROWS_OF_EACH; index += 1)
      withdrawals.push((await insertWithdrawal(orm, { userId: user.id, amount: '3000', reviewReason: 'above_limit' })).id)

    const { otherUser, administrator } = callers.ids
    const passkeys = await makePasskeys(server, [{ user: user.id }, { administrator }])
    const incidents = await sql<{ id: string }>(
      em(),
      `insert into incidents (id, title_en, text_en, started_at, updated_at, created_by)
       select gen_random_uuid(), 'One', 'Two', now(), now(), 'system' from generate_series(1, $1) returning id`,
      [ROWS_OF_EACH],
    )
    const emails = await sql<{ email: string }>(em(), 'select email from users order by id')
    await recordWrites(superuser.em.fork())
    return {
      server,
      callers,
      rows: {
        purchase: purchases,
        deposit: deposits.map(({ id }) => id),
        withdrawal: withdrawals,
        passkey: passkeys,
        incident: incidents.map(({ id }) => id),
        user: [user.id, otherUser],
        email: [...emails.map(({ email }) => email), 'nobody@example.com'],
        hash: [...hashes, `0x${'ab'.repeat(32)}`],
        wallet: [wallet.address, stranger.address, depositAddress, rewardChain.token, USDT_ADDRESS],
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Purchases that wait for their payment. @returns their ids. */
async function openPurchases({ url, services: { orm, clock } }: TestServer, userId: string): Promise<string[]> {
  const purchases: string[] = []
  const sessionKey = newId()
  const cookie = await openSession(orm.em.fork(), { realm: 'user', accountId: userId, key: sessionKey })
  const call = createClient({ baseUrl: url, headers: { cookie } })
  for (let quantity = 1; quantity <= ROWS_OF_EACH; quantity += 1) {
    const em = orm.em.fork()
    em.create(StepUpMark, { user: userId, sessionKey, grantedAt: clock.now() })
    await em.flush()
    const { id, purchaseAmountUsdt } = await call(createReservation, { body: { requestedQuantity: quantity } })
    await call(createPurchase, { body: { requestedQuantity: quantity, purchaseAmountUsdt } })
    purchases.push(id)
  }
  return purchases
}

/** Passkeys of a user and an administrator. @returns their ids. */
async function makePasskeys(
  { services: { orm, clock } }: TestServer,
  owners: readonly ({ user: string } | { administrator: string })[],
): Promise<string[]> {
  const passkeys: string[] = []
  for (const owner of owners) {
    for (let index = 0; index < ROWS_OF_EACH / 2; index += 1) {
      // The id of the row is that of the credential too, so that a reference to it finds either.
      const id = newId()
      const em = orm.em.fork()
      em.create(Passkey, {
        id,
        ...owner,
        credentialId: id,
        publicKey: '',
        counter: 0,
        transports: [],
        canBeSynced: false,
        isSynced: false,
        name: 'Key',
        createdAt: clock.now(),
      })
      await em.flush()
      passkeys.push(id)
    }
  }
  return passkeys
}

/** Restores the access of callers after an accepted request changed it. */
export const restore = async ({ server }: World): Promise<void> =>
  void (await sql(server.services.orm.em.fork(), 'update installation set admin_allowed_ips = $1, clock_offset_ms = 0', [
    [ADMIN_ADDRESS],
  ]))

/** Starts a database for one run. */
export async function openDatabase(): Promise<Pick<TestDatabase, 'url' | 'ownerUrl' | 'superuser'> & { stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'fuzz-'))
  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), unsafe: true })
  const superuser = new MikroORM(ormOptions({ url: postgres.url, poolSize: 2 }))
  return {
    ...(await openRoles(postgres.url)),
    superuser,
    async stop() {
      await superuser.close(true)
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
