import { describe, expect, test } from 'vitest'
import type { PrivateKeyAccount } from 'viem'
import * as contract from '#shared/contract/purchases.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { parseAmount } from '#shared/amount.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { sql } from '#api/platform/db/sql.ts'
import { ChangeEvent } from '#api/entities/ChangeEvent.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { findDifferences } from '#api/testing/findDifferences.ts'
import type { Buyer } from '#api/testing/people.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { type Sale, startSale } from '#api/testing/sale.ts'
import { expirePurchases } from './expirePurchases.ts'
import { releaseUncovered } from './releaseUncovered.ts'

const randomHash = () => `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}` as const

async function moveAllUsdt({ chain }: Sale, from: PrivateKeyAccount, to: PrivateKeyAccount): Promise<void> {
  await chain.transferUsdt({ from, to: to.address, amount: await chain.balanceOf(from.address) })
}

/** Mines and reads a block that is a minute younger than all holds, then reads the balances behind them. */
async function readBalancesAMinuteLater(sale: Sale): Promise<void> {
  const { timestamp } = await sale.chain.client.getBlock()
  const now = sale.server.clock.now().getTime()
  const later = new Date(Math.max(now, Number(timestamp) * SECOND) + MINUTE)
  await sale.chain.mineAt(later)
  sale.server.clock.set(later)
  await sale.watch()
  await releaseUncovered(sale.server.services)
}

/** Connects a wallet with its signature. */
async function connect({ server }: Sale, { browser, user }: Buyer, wallet: PrivateKeyAccount): Promise<void> {
  const message = walletProofMessage({
    host: new URL(server.url).host,
    email: user.email,
    address: wallet.address.toLowerCase() as `0x${string}`,
    timestamp: server.clock.now().toISOString(),
  })
  await browser.call(updateWallet, {
    body: { walletAddress: wallet.address, message, signature: await wallet.signMessage({ message }) },
  })
}

const insufficient = { status: 409, code: 'insufficient_usdt' }
const fulfilled = (answers: PromiseSettledResult<unknown>[]) => answers.filter(({ status }) => status === 'fulfilled').length

describe('the balance covers all unpaid holds of the account and the wallet', () => {
  test('an account that has only entered a rich wallet holds at most 100 unpaid nodes until it signs', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '100000', proven: false })
    const unproven = { status: 409, code: 'wallet_unproven' }
    await expect(sale.reserve(buyer, 101)).rejects.toMatchObject(unproven)
    await buyer.grantMark()
    await expect(sale.post(buyer, { quantity: 101, usdt: '303' })).rejects.toMatchObject(unproven)
    await sale.reserve(buyer, 100)
    await sale.post(buyer, { quantity: 100, usdt: '300' })
    await expect(sale.reserve(buyer, 1)).rejects.toMatchObject(unproven)

    await connect(sale, buyer, buyer.wallet)
    await sale.reserve(buyer, 1_000)
    expect(await sale.supply()).toMatchObject({ reserved: 1_100 })
  })

  test('twenty requests in a row hold no more than the wallet can pay', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '3000' })
    await sale.reserve(buyer, 1_000)
    await sale.post(buyer, { quantity: 1_000, usdt: '3000' })

    for (let i = 0; i < 20; i += 1) await expect(sale.reserve(buyer, 1_000)).rejects.toMatchObject(insufficient)
    await expect(sale.reserve(buyer, 1)).rejects.toMatchObject({
      ...insufficient,
      serverMessage: 'Including your unpaid purchases, you need 3003 USDT. Your wallet has 3000 USDT, so 3 USDT is missing.',
      details: { needed: '3003', available: '3000', missing: '3', held: '3000' },
    })
    expect(await sale.supply()).toMatchObject({ reserved: 1_000 })
  })

  test('twenty requests without a reservation, in parallel, hold no more than the wallet can pay', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '30' })
    for (let i = 0; i < 25; i += 1) await buyer.grantMark()

    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => sale.post(buyer, { quantity: 10, usdt: '30' })))

    expect(fulfilled(answers)).toBe(1)
    expect(await sale.supply()).toMatchObject({ reserved: 10 })
    // Reporting a payment is never refused, but an uncovered one holds no supply.
    expect(await sale.post(buyer, { quantity: 10, usdt: '30', hash: randomHash() })).toMatchObject({ paymentStatus: 'pending' })
    expect(await sale.supply()).toMatchObject({ reserved: 10 })
  })

  test('reservations and purchases in parallel hold no more than the wallet can pay', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '30' })
    for (let i = 0; i < 40; i += 1) await buyer.grantMark()

    await Promise.allSettled(
      Array.from({ length: 20 }, async (_, i) => {
        await buyer.browser.call(contract.createReservation, { body: { requestedQuantity: 6 + (i % 4) } })
        await sale.post(buyer, { quantity: 6 + (i % 4), usdt: String(3 * (6 + (i % 4))) })
      }),
    )

    const { reserved } = await sale.supply()
    expect(reserved).toBeGreaterThan(0)
    expect(reserved).toBeLessThanOrEqual(10)
  })

  test('two accounts that use a wallet in turn hold no more than it can pay', async () => {
    const sale = await startSale()
    const wallet = makeAccount()
    const first = await sale.openBuyer({ wallet, proven: false, usdt: '300' })
    await sale.reserve(first, 100)
    await sale.post(first, { quantity: 100, usdt: '300' })
    const other = await sale.openBuyer({ wallet: null })

    await connect(sale, other, wallet)
    for (let i = 0; i < 3; i += 1) await expect(sale.reserve(other, 100)).rejects.toMatchObject(insufficient)

    expect(await sale.supply()).toMatchObject({ reserved: 100 })
  })

  test('unpaid holds count against the account after it replaces its wallet', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '3000' })
    await sale.reserve(buyer, 1_000)
    await sale.post(buyer, { quantity: 1_000, usdt: '3000' })
    const next = makeAccount()
    await moveAllUsdt(sale, buyer.wallet, next)

    await connect(sale, buyer, next)

    await expect(sale.reserve(buyer, 1)).rejects.toMatchObject(insufficient)
    expect(await sale.supply()).toMatchObject({ reserved: 1_000 })
  })

  test('a seen transfer counts as paid, and a mined transfer that is not read yet does not make a request uncovered', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '60' })
    await sale.watch()
    await sale.reserve(buyer, 10)
    const hash = await sale.pay(buyer.wallet, '30')
    await sale.post(buyer, { quantity: 10, usdt: '30', hash })

    // The wallet holds 30 now, and the transfer of the first 30 is not read yet.
    await sale.reserve(buyer, 10)
    await sale.watch()
    await expect(sale.reserve(buyer, 11)).rejects.toMatchObject({ ...insufficient, details: { missing: '3', held: '0' } })

    expect(await sale.supply()).toMatchObject({ reserved: 20 })
  })

  test('a small transfer reduces the unpaid amount by no more than its own', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '30' })
    await sale.reserve(buyer, 10)
    await sale.post(buyer, { quantity: 10, usdt: '30' })
    await sale.pay(buyer.wallet, '0.000000000000000001')
    await sale.watch()

    await expect(sale.reserve(buyer, 9)).rejects.toMatchObject(insufficient)
  })

  test('while the chain does not answer, an account holds 100 nodes at most', async () => {
    const sale = await startSale({ rpcUrls: () => ['http://127.0.0.1:9'] })
    const buyer = await sale.openBuyer()
    const unavailable = { status: 503, code: 'chain_unavailable', serverMessage: expect.stringContaining('100 unpaid nodes') }

    await expect(sale.reserve(buyer, 101)).rejects.toMatchObject(unavailable)
    await sale.reserve(buyer, 100)
    await sale.post(buyer, { quantity: 100, usdt: '300' })
    await expect(sale.reserve(buyer, 1)).rejects.toMatchObject(unavailable)
    await expect(sale.post(buyer, { quantity: 1, usdt: '3' })).rejects.toMatchObject(unavailable)
    await sale.post(buyer, { quantity: 5, usdt: '15', hash: randomHash() })

    expect(await sale.supply()).toMatchObject({ reserved: 100 })
  })
})

describe('balances behind all holds are checked again', () => {
  test('the same USDT passed through twenty wallets holds nodes once', async () => {
    const sale = await startSale()
    const buyers: Buyer[] = []
    for (let i = 0; i < 20; i += 1) {
      const buyer = await sale.openBuyer({ usdt: i === 0 ? '3000' : '0' })
      const before = buyers.at(-1)
      if (before) await moveAllUsdt(sale, before.wallet, buyer.wallet)
      await sale.reserve(buyer, 1_000)
      if (i % 2) await sale.post(buyer, { quantity: 1_000, usdt: '3000' })
      buyers.push(buyer)
    }
    expect(await sale.supply()).toMatchObject({ reserved: 20_000 })

    await readBalancesAMinuteLater(sale)

    expect(await sale.supply()).toMatchObject({ reserved: 1_000 })
    expect(await buyers[18]!.browser.call(contract.getReservation, {})).toBeNull()
    expect(await sale.purchases(buyers[17]!)).toMatchObject([{ paymentStatus: 'pending' }])
    const changes = await sale.server.services.orm.em
      .fork()
      .find(ChangeEvent, { user: buyers[18]!.user.id }, { orderBy: { id: 'asc' } })
    expect(changes.at(-1)?.keys).toContain(contract.getReservation.path)
    expect(await findDifferences(sale.server.services.orm)).toEqual([])
  })

  test('the oldest holds that the wallet still covers stay', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '90' })
    for (let i = 0; i < 3; i += 1) {
      sale.server.clock.advance(SECOND)
      await sale.reserve(buyer, 10)
      await sale.post(buyer, { quantity: 10, usdt: '30' })
    }
    await sale.chain.transferUsdt({ from: buyer.wallet, to: makeAccount().address, amount: parseAmount('30')! })

    await readBalancesAMinuteLater(sale)

    const rows = await sql<{ held_quantity: number }>(
      sale.server.services.orm.em.fork(),
      'select held_quantity from purchases order by opened_at',
    )
    expect(rows.map(({ held_quantity }) => held_quantity)).toEqual([10, 10, 0])
    expect(await sale.supply()).toMatchObject({ reserved: 20 })
  })

  test('a payment reported for an uncovered reservation is recorded and releases the supply', async () => {
    const sale = await startSale({ mining: 'manual' })
    const buyer = await sale.openBuyer({ usdt: '30' })
    await sale.reserve(buyer, 10)
    await sale.chain.transferUsdt({ from: buyer.wallet, to: makeAccount().address, amount: 1n })
    await sale.chain.mineAt(new Date(sale.server.clock.now().getTime() + MINUTE))
    await sale.watch()

    const purchase = await sale.post(buyer, { quantity: 10, usdt: '30', hash: randomHash() })

    expect(purchase).toMatchObject({ paymentStatus: 'pending' })
    expect(await sale.supply()).toMatchObject({ reserved: 0 })
  })

  test('a transfer that pays a hold does not make it uncovered, before or after the watcher reads it', async () => {
    const sale = await startSale({ supply: 10, mining: 'manual' })
    const buyer = await sale.openBuyer({ usdt: '30' })
    await sale.reserve(buyer, 10)
    await sale.chain.mineAt(new Date(sale.server.clock.now().getTime() + MINUTE))
    await sale.watch()
    const hash = await sale.pay(buyer.wallet, '30')
    await sale.chain.mineAt(new Date(sale.server.clock.now().getTime() + 2 * MINUTE))
    expect(await sale.chain.balanceOf(buyer.wallet.address)).toBe(0n)

    await releaseUncovered(sale.server.services)
    await sale.post(buyer, { quantity: 10, usdt: '30', hash })
    expect(await sale.supply()).toMatchObject({ reserved: 10 })
    await sale.watch()
    await releaseUncovered(sale.server.services)
    expect(await sale.supply()).toMatchObject({ reserved: 10 })
    await sale.confirm()

    expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 10 }])
  })

  test('a hold of a wallet funded after the last block read stays', async () => {
    const sale = await startSale({ mining: 'manual' })
    await sale.chain.mine()
    await sale.watch()
    sale.server.clock.advance(MINUTE)
    const buyer = await sale.openBuyer({ usdt: '30' })
    await sale.reserve(buyer, 10)

    await releaseUncovered(sale.server.services)
    await sale.post(buyer, { quantity: 10, usdt: '30', hash: randomHash() })

    expect(await sale.supply()).toMatchObject({ reserved: 10 })
  })

  test('a transfer that the watcher finds while the balances are read keeps its hold', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '30' })
    await sale.reserve(buyer, 10)
    await sale.chain.mineAt(new Date(sale.server.clock.now().getTime() + MINUTE))
    await sale.watch()
    const { services } = sale.server

    await releaseUncovered({
      ...services,
      paymentChain: {
        ...services.paymentChain,
        // The USDT has reached the wallet after the last block read, and is paid in the block that is read meanwhile.
        async usdtBalancesAt() {
          await sale.pay(buyer.wallet, '30')
          await sale.watch()
          return [0n]
        },
      },
    })

    expect(await sale.supply()).toMatchObject({ reserved: 10 })
  })

  test('a reservation without supply can be reported, paid and confirmed while nodes are left', async () => {
    const sale = await startSale()
    const [reported, silent] = [await sale.openBuyer({ usdt: '30' }), await sale.openBuyer({ usdt: '15' })]
    const away = makeAccount()
    for (const [buyer, quantity] of [
      [reported, 10],
      [silent, 5],
    ] as const) {
      await sale.reserve(buyer, quantity)
      await sale.chain.transferUsdt({ from: buyer.wallet, to: away.address, amount: 1n })
    }
    await readBalancesAMinuteLater(sale)
    expect(await sale.supply()).toMatchObject({ reserved: 0 })
    await sale.chain.mintUsdt(reported.wallet.address, parseAmount('30')!)
    await sale.chain.mintUsdt(silent.wallet.address, parseAmount('15')!)

    const hash = await sale.pay(reported.wallet, '30')
    await sale.post(reported, { quantity: 10, usdt: '30', hash })
    await sale.pay(silent.wallet, '15')
    await sale.confirm()

    expect(await sale.purchases(reported)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 10 }])
    expect(await sale.purchases(silent)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 5 }])
  })

  test('two uncovered holds pause the account for 30 minutes', async () => {
    const sale = await startSale()
    const [buyer, away] = [await sale.openBuyer({ usdt: '30' }), makeAccount()]
    for (let i = 0; i < 2; i += 1) {
      await sale.reserve(buyer, 10)
      await moveAllUsdt(sale, buyer.wallet, away)
      await readBalancesAMinuteLater(sale)
      await moveAllUsdt(sale, away, buyer.wallet)
    }

    await expect(sale.reserve(buyer, 10)).rejects.toMatchObject({ code: 'too_many_reservations' })
    await expirePurchases(sale.server.services)
    expect(await sale.supply()).toMatchObject({ reserved: 0 })
  })

  test('while the chain does not answer, no hold is ended', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer({ usdt: '30' })
    await sale.reserve(buyer, 10)
    await sale.chain.mineAt(new Date(sale.server.clock.now().getTime() + MINUTE))
    await sale.watch()
    await moveAllUsdt(sale, buyer.wallet, makeAccount())
    await sale.chain.stop()

    await expect(releaseUncovered(sale.server.services)).rejects.toThrow('Too few RPC endpoints answer.')

    expect(await sale.supply()).toMatchObject({ reserved: 10 })
  })
})

describe('an account holds nodes unpaid for an hour at most', () => {
  test.each<{ how: string; end: (sale: Sale, buyer: Buyer, quantity: number) => Promise<unknown> }>([
    {
      how: 'uncovered and then reported',
      async end(sale, buyer, quantity) {
        const away = makeAccount()
        await moveAllUsdt(sale, buyer.wallet, away)
        await sale.chain.mineAt(new Date(sale.server.clock.now().getTime() + MINUTE))
        await sale.watch()
        await sale.post(buyer, { quantity, usdt: String(3 * quantity), hash: randomHash() })
        await moveAllUsdt(sale, away, buyer.wallet)
      },
    },
    {
      how: 'reported as paid by a small transfer of another wallet',
      async end(sale, buyer, quantity) {
        const other = makeAccount()
        await sale.chain.mintUsdt(other.address, 1n)
        const hash = await sale.pay(other, '0.000000000000000001')
        await sale.post(buyer, { quantity, usdt: String(3 * quantity), hash })
        await sale.confirm()
      },
    },
    {
      how: 'paid by a small transfer, from one wallet after another',
      async end(sale, buyer) {
        await sale.pay(buyer.wallet, '0.000000000000000001')
        await sale.confirm()
        const next = makeAccount()
        await moveAllUsdt(sale, buyer.wallet, next)
        await connect(sale, buyer, next)
        buyer.wallet = next
      },
    },
  ])('of reservations that are $how', async ({ end }) => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    const holdOften = async () => {
      for (const quantity of [1, 2, 3, 4]) {
        await sale.reserve(buyer, quantity)
        sale.server.clock.advance(25 * MINUTE)
        await end(sale, buyer, quantity)
        expect(await sale.supply()).toMatchObject({ reserved: 0 })
      }
    }

    await expect(holdOften()).rejects.toMatchObject({ code: 'too_many_reservations' })
  })

  test('a reservation is not replaced while its account is changed, and keeps nobody waiting', async () => {
    const sale = await startSale()
    const [buyer, other] = [await sale.openBuyer(), await sale.openBuyer()]
    await sale.reserve(buyer, 1)

    await sale.server.services.orm.em.fork().transactional(async (em) => {
      await sql(em, 'select from users where id = $1 for no key update', [buyer.user.id])
      await expect(sale.reserve(buyer, 2)).rejects.toMatchObject({ status: 409, code: 'request_in_progress' })
      await expect(sale.reserve(other, 1)).resolves.toMatchObject({ requestedQuantity: 1 })
    })

    await expect(sale.reserve(buyer, 2)).resolves.toMatchObject({ requestedQuantity: 2 })
  })

  test.each<{ how: string; end: (sale: Sale, buyer: Buyer) => Promise<unknown> }>([
    { how: 'is released', end: (_, buyer) => buyer.browser.call(contract.releaseReservation, {}) },
    { how: 'expires', end: ({ server }) => expirePurchases(server.services) },
    { how: 'is uncovered', end: ({ server }) => releaseUncovered(server.services) },
  ])('a reservation that $how while its account is changed keeps nobody waiting', async ({ end }) => {
    const sale = await startSale()
    const [buyer, other] = [await sale.openBuyer(), await sale.openBuyer()]
    const { expiresAt } = await sale.reserve(buyer, 1)
    await moveAllUsdt(sale, buyer.wallet, makeAccount())
    await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
    sale.server.clock.set(new Date(expiresAt.getTime() + 3 * MINUTE))
    await sale.watch()

    const { ending } = await sale.server.services.orm.em.fork().transactional(async (em) => {
      await sql(em, 'select from users where id = $1 for no key update', [buyer.user.id])
      const ending = end(sale, buyer)
      await untilLockWaits(sale.database)
      await expect(sale.reserve(other, 1)).resolves.toMatchObject({ requestedQuantity: 1 })
      return { ending }
    })
    await ending

    expect(await sale.supply()).toMatchObject({ reserved: 1 })
  })

  test('a clock that is set back takes nothing away', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 1)
    sale.server.clock.set(new Date(sale.server.clock.now().getTime() - 10 * MINUTE))

    await buyer.browser.call(contract.releaseReservation, {})

    const em = sale.server.services.orm.em.fork()
    expect(await sql(em, 'select unpaid_hold_seconds from users')).toEqual([{ unpaid_hold_seconds: 0 }])
  })

  test('a confirmed purchase ends the count, also of a hold that ends meanwhile', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 1)
    await sale.pay(buyer.wallet, '3')
    const em = sale.server.services.orm.em.fork()

    const confirming = await em.transactional(async (em) => {
      await sql(em, 'select from supply for update')
      await sql(em, 'update users set unpaid_hold_seconds = 1800')
      const confirmed = sale.confirm()
      await untilLockWaits(sale.database)
      return { confirmed }
    })
    await confirming.confirmed

    expect(await sql(em, 'select unpaid_hold_seconds from users')).toEqual([{ unpaid_hold_seconds: 0 }])
  })
})
