import { expect, test, vi } from 'vitest'
import type { Hash, Hex } from 'viem'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import * as bonus from '#shared/contract/admin/bonus.ts'
import * as office from '#shared/contract/admin/deposits.ts'
import { rejectPurchase } from '#shared/contract/admin/purchases.ts'
import { changeProofKey } from '#shared/contract/register.ts'
import { insist } from '#api/testing/backOffice.ts'
import { sql } from '#api/platform/db/sql.ts'
import { createRandom, type Random } from '#api/stress/chaos/createRandom.ts'
import type { Buyer } from '#api/testing/people.ts'
import { type RegisterWorld, startRegister } from '#api/testing/registerWorld.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { refundWithdrawal } from '#api/withdrawals/requests/refundWithdrawal.ts'
import { publishSteps } from './publishRegister.ts'

vi.setConfig({ testTimeout: 120_000 })
/** More of them, from the first seed on, by `REGISTER_HISTORIES=100 REGISTER_SEED=1`. */
const histories = Number(process.env.REGISTER_HISTORIES ?? 2)
const firstSeed = Number(process.env.REGISTER_SEED ?? 1)
const seeds = Array.from({ length: histories }, (_, index) => firstSeed + index)
const ACTIONS = 14
const note = 'As agreed.'

/** A sale whose actions a test draws. Each leaves both chains final. */
class Drawn {
  readonly #world: RegisterWorld
  readonly #random: Random
  readonly #buyers: Buyer[] = []
  /** Payments that vanished, with their signed transactions. */
  readonly #vanished: { id: string; bytes: Hex }[] = []
  #seen: string[] = []
  readonly done: string[] = []

  constructor(world: RegisterWorld, random: Random) {
    this.#world = world
    this.#random = random
  }

  readonly actions = {
    buy: () => this.#buy(0n),
    underpay: () => this.#buy(-1n),
    overpay: () => this.#buy(1n),
    dust: async () => {
      await this.#world.pay(await this.#world.openStranger(), '1')
      await this.#settle()
    },
    decide: () => this.#decide(),
    grant: async () => {
      const { user } = await this.#buyer()
      await this.#world.call(bonus.assignBonus, { body: { userEmail: user.email, quantity: this.#random.between(1, 3) } })
    },
    vanish: () => this.#vanish(),
    return: () => this.#return(),
    withdraw: () => this.#withdraw(),
    payOut: () => this.#world.payOut(),
    fail: () => this.#fail(),
    settings: async () => {
      const [key, values] = this.#random.oneOf([
        ['node_price_usdt', ['3', '4', '2.5']],
        ['withdrawal_fee_amount', ['5', '1', '0']],
        ['xcr_per_node_daily', ['10', '0', '7.5']],
      ] as const)
      await this.#world.set(key, this.#random.oneOf(values))
    },
    key: async () => {
      const { browser, grantMark } = await this.#buyer()
      await grantMark()
      await browser.call(changeProofKey, {})
    },
    day: () => this.days(1),
    missed: () => this.days(2),
    publish: () => this.publish(),
  }

  async days(count: number): Promise<void> {
    for (let day = 0; day < count; day++) await this.#world.payDay()
    await this.#settle()
  }

  /** Publishes, perhaps killed at a step. What was published stays. */
  async publish({ mayBeKilled = true } = {}): Promise<void> {
    const killedAt = mayBeKilled && this.#random.chance(40) ? this.#random.oneOf(publishSteps) : undefined
    const step = async (at: string) => {
      if (at === killedAt) throw new Error('killed')
    }
    await this.#world.publish({ step }).catch((error: unknown) => {
      if (!(error instanceof Error && error.message === 'killed')) throw error
    })
    const entries = await this.#world.entries()
    if (this.#seen.some((text, index) => entries[index] !== text)) throw new Error('A published entry has changed.')
    this.#seen = entries
  }

  async #settle(): Promise<void> {
    await this.#world.chain.mine(3)
    await this.#world.watch()
  }

  async #buyer(): Promise<Buyer> {
    if (this.#buyers.length === 0 || this.#random.chance(30)) this.#buyers.push(await this.#world.openBuyer())
    return this.#random.oneOf(this.#buyers)
  }

  /** Pays for some nodes; a number of USDT more or less than their price. */
  async #buy(more: bigint): Promise<Hash> {
    const buyer = await this.#world.openBuyer()
    this.#buyers.push(buyer)
    const quantity = this.#random.between(2, 12)
    const { purchaseAmountUsdt } = await this.#world.reserve(buyer, quantity)
    const hash = await this.#world.pay(buyer.wallet, formatAmount(purchaseAmountUsdt + parseAmount('1')! * more))
    await this.#settle()
    return hash
  }

  /** Assigns, refunds or ignores a payment in review. */
  async #decide(): Promise<void> {
    const [row] = await sql<{ id: string; sender: Hex; open: string | null }>(
      this.#world.server.services.orm.em.fork(),
      `select d.id, d.sender, p.id as open
       from deposits d left join purchases p on p.id = d.purchase_id and p.status in ('pending', 'manual_review')
       where d.state = 'review' order by d.id limit 1`,
    )
    if (!row) return
    const params = { id: row.id }
    const way = this.#random.oneOf(['assign', 'refund', 'ignore'] as const)
    if (way === 'ignore') await this.#world.call(office.ignoreDeposit, { params, body: { note } })
    else if (way === 'assign') {
      const { user } = await this.#buyer()
      const quantity = this.#random.between(1, 9)
      const body = { note, userEmail: user.email, quantity }
      await insist((named) => this.#world.call(office.assignDeposit, { params, body: { ...body, ...named } }))
    } else {
      // A part of an open purchase is not refunded.
      if (row.open) await this.#world.call(rejectPurchase, { params: { id: row.open }, body: { notes: note } })
      const transactionHash = await this.#world.sendBack(row.sender, '1')
      await this.#settle()
      await this.#world.call(office.refundDeposit, { params, body: { transactionHash, note, reason: 'Fees.' } })
    }
  }

  async #vanish(): Promise<void> {
    const { chain } = this.#world
    const hash = await this.#buy(0n)
    const id = await this.#world.depositOf(hash)
    this.#vanished.push({ id, bytes: await chain.signedBytes(hash) })
    const [{ blockNumber }, head] = await Promise.all([chain.receipt(hash), chain.client.getBlockNumber()])
    await chain.reorganize(Number(head - blockNumber) + 1)
    await this.#settle()
  }

  /** A vanished payment is mined again, or an administrator restores its nodes. */
  async #return(): Promise<void> {
    const payment = this.#vanished.shift()
    if (!payment) return
    if (this.#random.chance(50)) {
      const [row] = await sql<{ state: string }>(
        this.#world.server.services.orm.em.fork(),
        'select state from deposits where id = $1',
        [payment.id],
      )
      if (row!.state === 'orphaned') {
        await this.#world.call(office.restoreNodes, { params: { id: payment.id }, body: { note } })
        return
      }
    }
    await this.#world.chain.client.sendRawTransaction({ serializedTransaction: payment.bytes })
    await this.#settle()
  }

  async #withdraw(): Promise<void> {
    const { services, clock } = this.#world.server
    const rich = await sql<{ id: string }>(services.orm.em.fork(), 'select id from accounts where balance >= 40e18')
    const owners = this.#buyers.filter(({ user }) => rich.some(({ id }) => id === user.id))
    if (owners.length === 0) return
    const { user, wallet } = this.#random.oneOf(owners)
    const amount = String(this.#random.between(10, 40))
    await insertWithdrawal(services.orm, { userId: user.id, amount, toAddress: wallet.address, now: clock.now() })
  }

  async #fail(): Promise<void> {
    const { services } = this.#world.server
    const [row] = await sql<{ id: string }>(
      services.orm.em.fork(),
      `select id from withdrawals where status = 'pending' order by id limit 1`,
    )
    if (row) await services.orm.em.fork().transactional((em) => refundWithdrawal(em, services, row))
  }
}

test.for(seeds)('what history %i publishes stays, and the independent verifier finds it true', async (seed) => {
  const random = createRandom(seed)
  const world = await startRegister({ confirmations: 2 })
  const drawn = new Drawn(world, random)
  const names = Object.keys(drawn.actions) as (keyof typeof drawn.actions)[]
  // Somebody has XCR to withdraw.
  await drawn.actions.buy()
  await drawn.days(3)
  await drawn.actions.withdraw()
  for (let action = 0; action < ACTIONS; action++) {
    const name = random.oneOf(names)
    drawn.done.push(name)
    await drawn.actions[name]()
  }
  await drawn.days(1)
  await drawn.publish({ mayBeKilled: false })
  // Without anchors a rate is announced by the books of the day before.
  const { notice: _, ...problems } = await world.problems()
  expect([drawn.done, problems]).toEqual([drawn.done, {}])
})
