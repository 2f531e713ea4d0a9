import { MikroORM } from '@mikro-orm/postgresql'
import { setTimeout as delay } from 'node:timers/promises'
import { type Address, parseEther, type PrivateKeyAccount, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DAY } from '#shared/dates.ts'
import { advanceProductClock } from '#api/platform/clock/advanceProductClock.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { newId } from '#api/platform/db/newId.ts'
import { callChainBatch } from '#api/dev/callChain.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { storeDefaults } from '#api/sale/settings/storeDefaults.ts'
import { allocateNodes } from '#api/sale/supply/allocateNodes.ts'
import { lockSupply } from '#api/sale/supply/lockSupply.ts'
import { balanceSlot } from '../bench/reservations/prepareBuyers.ts'
import { makeUser } from '#api/testing/factories.ts'
import { openSession } from '#api/testing/openSession.ts'
import { keyFor } from './keyFor.ts'
import type { Plan } from './makePlan.ts'
import type { World } from './startWorld.ts'

/** A logged-in user with an authenticator and a proven wallet. */
export interface ChaosUser {
  userId: string
  email: string
  wallet: PrivateKeyAccount
  sessionKey: string
  cookie: string
}

export interface ChaosUsers {
  /** One for each planned purchase. */
  buyers: ChaosUser[]
  /** Users with XCR. */
  holders: ChaosUser[]
  /** Unregistered wallets. */
  strangers: PrivateKeyAccount[]
}

/** A token balance as a storage value. */
const BALANCE = `0x${parseEther('1000000').toString(16).padStart(64, '0')}`
/** The nodes and days of every holder: at 10 XCR a day they earn more than all withdrawals. */
const NODES = 1_000
const DAYS = 31
/** A number of blocks beyond the depth of any reorganization. */
const FINAL_DEPTH = 20

/** Inserts all users of the plan into the database, and funds their wallets. */
export async function createUsers(
  world: World,
  plan: Pick<Plan, 'seed' | 'purchases'>,
  { holders }: { holders: number },
): Promise<ChaosUsers> {
  const orm = new MikroORM(ormOptions({ url: world.database.url, poolSize: 2 }))
  const wallet = (name: string) => privateKeyToAccount(keyFor(plan.seed, name))
  const open = async (name: string): Promise<ChaosUser> => {
    const account = wallet(name)
    const em = orm.em.fork()
    const { user } = await makeUser(em, { email: `${name}@example.com`, otp: true, wallet: account.address })
    const sessionKey = newId()
    const cookie = await openSession(em, { realm: 'user', accountId: user.id, key: sessionKey })
    return { userId: user.id, email: user.email, wallet: account, sessionKey, cookie }
  }
  try {
    // As the setup does: the register publishes only rates that are stored.
    await orm.em.fork().transactional((em) => storeDefaults(em, new Date()))
    const users: ChaosUsers = { buyers: [], holders: [], strangers: [] }
    for (const [index] of plan.purchases.entries()) users.buyers.push(await open(`buyer-${index}`))
    for (let index = 0; index < holders; index += 1) {
      const holder = await open(`holder-${index}`)
      await giveNodes(orm, holder.userId)
      users.holders.push(holder)
    }
    await orm.em.fork().transactional((em) => advanceProductClock(em, { hours: 24 * DAYS }))
    users.strangers.push(...plan.purchases.map((_, index) => wallet(`stranger-${index}`)))
    await fundWallets(world, [...users.buyers.map((buyer) => buyer.wallet), ...users.strangers])
    while (!(await arePaid(world))) await delay(100)
    return users
  } finally {
    await orm.close(true)
  }
}

/** Gives a holder bonus nodes, whose rewards cover the withdrawals. */
async function giveNodes(orm: MikroORM, userId: string): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    const now = new Date()
    const id = newId()
    const terms = { requestedQuantity: NODES, finalQuantity: NODES, unitPrice: 0n, amount: 0n }
    const times = { createdAt: now, openedAt: now, confirmedAt: now, postedAt: now, closedAt: now }
    em.create(Purchase, { id, user: userId, status: 'confirmed', ...terms, ...times })
    const supply = await lockSupply(em)
    supply.bonus += NODES
    await em.flush()
    await allocateNodes(em, {
      kind: 'bonus',
      shares: [{ userId, purchaseId: id, quantity: NODES }],
      allocatedAt: now,
      activeFrom: new Date(now.getTime() + DAY),
    })
  })
}

/** Whether the worker has paid the rewards of the days. */
async function arePaid({ database }: World): Promise<boolean> {
  const [row] = await database.query<{ days: number }>(
    'select count(*)::int as days from reward_runs where paid_at is not null and amount > 0',
  )
  return row!.days >= DAYS - 2
}

async function fundWallets(world: World, wallets: readonly PrivateKeyAccount[]): Promise<void> {
  const { url, token, client } = world.payment
  await callChainBatch(
    url,
    wallets.flatMap(({ address }) => [
      { method: 'anvil_setStorageAt', params: [token, balanceSlot(address.toLowerCase() as Address), BALANCE] },
      { method: 'anvil_setBalance', params: [address, toHex(parseEther('10'))] },
    ]),
  )
  await client.mine({ blocks: FINAL_DEPTH })
  await world.reward.client.mine({ blocks: FINAL_DEPTH })
}
