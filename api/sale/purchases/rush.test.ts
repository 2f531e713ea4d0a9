import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as contract from '#shared/contract/purchases.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { parseAmount } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Buyer } from '#api/testing/people.ts'
import { type Sale, startSale } from '#api/testing/sale.ts'
import { startServer } from '#api/testing/server.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { readWantedBalances } from './knownBalances.ts'
import { releaseUncovered } from './releaseUncovered.ts'

const soldOut = { status: 409, code: 'insufficient_supply' }
const press = (buyer: Pick<Buyer, 'browser'>, requestedQuantity = 1, idempotencyKey?: string) =>
  buyer.browser.call(contract.createReservation, { body: { requestedQuantity } }, idempotencyKey ? { idempotencyKey } : {})

/** Opens buyers one after another, each with marks for several requests. */
async function openBuyers(sale: Sale, count: number, usdt = '1000'): Promise<Buyer[]> {
  const buyers: Buyer[] = []
  for (let n = 0; n < count; n += 1) {
    const buyer = await sale.openBuyer({ usdt })
    for (let mark = 0; mark < 3; mark += 1) await buyer.grantMark()
    buyers.push(buyer)
  }
  return buyers
}

/** Loads the purchase page and waits until the balance is known. */
async function loadPage(sale: Sale, buyer: Buyer): Promise<void> {
  await buyer.browser.call(contract.getReservation, {})
  await expect.poll(() => knownBalanceOf(sale, buyer)).not.toBeNull()
}

async function knownBalanceOf({ database }: Sale, { wallet }: Buyer): Promise<string | null> {
  const rows = await sql<{ balance: string | null }>(
    database.orm.em.fork(),
    'select balance::text as balance from wallet_balances where wallet = $1',
    [wallet.address.toLowerCase()],
  )
  return rows[0]?.balance ?? null
}

/** The statements that the process sends from now on. */
function watchStatements(): (words: string) => number {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => query.mockRestore())
  return (words) => query.mock.calls.filter(([asked]) => JSON.stringify(asked).includes(words)).length
}

describe('after the last node', () => {
  test('a request is refused without a lock and without a call to the chain', async () => {
    const sale = await startSale({ supply: 1 })
    const [first, ...others] = await openBuyers(sale, 4)
    await press(first!)
    const ask = vi.spyOn(sale.server.services.paymentChain, 'usdtBalanceOf')
    const count = watchStatements()

    for (const answer of await Promise.allSettled(others.map((buyer) => press(buyer))))
      expect(answer).toMatchObject({ status: 'rejected', reason: { ...soldOut, details: { remaining: '0' } } })

    expect(ask).not.toHaveBeenCalled()
    expect(count('for update')).toBe(0)
    expect(count('begin')).toBe(0)
  })

  test('an earlier answer is repeated, the open reservation is returned, and its nodes count for another quantity', async () => {
    const sale = await startSale({ supply: 3 })
    const [buyer, other] = await openBuyers(sale, 2)
    const key = crypto.randomUUID()
    const made = await press(buyer!, 2, key)
    await press(other!, 1)

    expect(await press(buyer!, 2, key)).toEqual(made)
    expect(await press(buyer!, 2)).toEqual(made)
    await expect(press(buyer!, 3)).rejects.toMatchObject({ ...soldOut, details: { remaining: '2' } })
    expect(await press(buyer!, 1)).toMatchObject({ requestedQuantity: 1 })
    expect(await sale.supply()).toMatchObject({ reserved: 2 })
  })

  test('a released node is sold to the next request at once, at every process', async () => {
    const sale = await startSale({ supply: 1 })
    const second = await startServer(sale.database, { config: sale.server.services.config })
    const [holder, next] = await openBuyers(sale, 2)
    const elsewhere = second.openBrowser()
    elsewhere.setCookie('user_session', next!.browser.cookie('user_session')!)
    for (let round = 0; round < 3; round += 1) {
      await sale.reserve(holder!, 1)
      await expect(press({ browser: elsewhere })).rejects.toMatchObject(soldOut)
      await expect(press(next!)).rejects.toMatchObject(soldOut)
      await holder!.browser.call(contract.releaseReservation, {})

      expect(await press({ browser: elsewhere })).toMatchObject({ requestedQuantity: 1 })
      await elsewhere.call(contract.releaseReservation, {})
      await next!.grantMark()
    }
  })

  test('a payment is recorded although nothing is left', async () => {
    const sale = await startSale({ supply: 1 })
    const [holder, late] = await openBuyers(sale, 2)
    await press(holder!)
    await expect(press(late!)).rejects.toMatchObject(soldOut)

    const hash = await sale.pay(late!.wallet, '3')
    expect(await sale.post(late!, { quantity: 1, usdt: '3', hash })).toMatchObject({ paymentStatus: 'pending' })
    await sale.confirm()
    expect(await sale.purchases(late!)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'insufficient_supply' }])
    expect(await sale.supply()).toMatchObject({ reserved: 1, paid: 0 })
  })
})

test('many buyers at two processes, with releases in between, never hold more than the supply, and the rest is sold out', async () => {
  const sale = await startSale({ supply: 5 })
  const second = await startServer(sale.database, { config: sale.server.services.config })
  const buyers = await openBuyers(sale, 20)
  const browsers = buyers.map(({ browser }, index) => {
    if (index % 2 === 0) return browser
    const elsewhere = second.openBrowser()
    elsewhere.setCookie('user_session', browser.cookie('user_session')!)
    return elsewhere
  })

  const answers = await Promise.allSettled(
    browsers.map(async (browser, index) => {
      const made = await press({ browser })
      if (index % 3 !== 0) return made
      await browser.call(contract.releaseReservation, {})
      return undefined
    }),
  )

  for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toMatchObject(soldOut)
  const kept = answers.filter((answer) => answer.status === 'fulfilled' && answer.value !== undefined).length
  const { reserved } = await sale.supply()
  expect(reserved).toBe(kept)
  expect(reserved).toBeLessThanOrEqual(5)
  const left = await Promise.allSettled(browsers.map((browser) => press({ browser })))
  expect(left.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(15)
  expect(await sale.supply()).toMatchObject({ reserved: 5 })
})

describe('the balance is read before the rush', () => {
  test('a press after the page was loaded asks the chain for nothing', async () => {
    const sale = await startSale()
    const [buyer] = await openBuyers(sale, 1)
    await loadPage(sale, buyer!)
    const ask = vi.spyOn(sale.server.services.paymentChain, 'usdtBalanceOf')

    await press(buyer!, 10)
    expect(ask).not.toHaveBeenCalled()
    expect(await sale.supply()).toMatchObject({ reserved: 10 })
  })

  test('no request is refused for a balance of before: USDT that has arrived since counts', async () => {
    const sale = await startSale()
    const [buyer] = await openBuyers(sale, 1, '3')
    await loadPage(sale, buyer!)
    await expect(press(buyer!, 10)).rejects.toMatchObject({ code: 'insufficient_usdt' })
    await sale.chain.mintUsdt(buyer!.wallet.address, parseAmount('27')!)

    expect(await press(buyer!, 10)).toMatchObject({ requestedQuantity: 10 })
  })

  test('holds are subtracted from it', async () => {
    const sale = await startSale()
    const [buyer] = await openBuyers(sale, 1, '30')
    await loadPage(sale, buyer!)
    await sale.reserve(buyer!, 6)
    await sale.post(buyer!, { quantity: 6, usdt: '18' })
    sale.server.clock.advance(16 * SECOND)
    await loadPage(sale, buyer!)
    await expect(press(buyer!, 5)).rejects.toMatchObject({ code: 'insufficient_usdt', details: { held: '18' } })
    expect(await press(buyer!, 4)).toMatchObject({ requestedQuantity: 4 })
  })

  test('the same USDT shown by several wallets before the rush holds nodes once: balances are read again afterwards', async () => {
    const sale = await startSale()
    const buyers = await openBuyers(sale, 4, '0')
    let owner = await sale.openBuyer({ usdt: '30' })
    for (const buyer of buyers) {
      await sale.chain.transferUsdt({ from: owner.wallet, to: buyer.wallet.address, amount: parseAmount('30')! })
      await loadPage(sale, buyer)
      owner = buyer
    }
    await Promise.all(buyers.map((buyer) => press(buyer, 10)))
    expect(await sale.supply()).toMatchObject({ reserved: 40 })

    const { timestamp } = await sale.chain.client.getBlock()
    const later = new Date(Math.max(sale.server.clock.now().getTime(), Number(timestamp) * SECOND) + 15 * SECOND)
    await sale.chain.mineAt(later)
    sale.server.clock.set(later)
    await sale.watch()
    await releaseUncovered(sale.server.services)
    expect(await sale.supply()).toMatchObject({ reserved: 10 })
  })

  test('a balance older than a minute is not used', async () => {
    const sale = await startSale()
    const [buyer, other] = await openBuyers(sale, 2, '30')
    await loadPage(sale, buyer!)
    await sale.chain.transferUsdt({ from: buyer!.wallet, to: other!.wallet.address, amount: parseAmount('30')! })
    sale.server.clock.advance(MINUTE + SECOND)

    await expect(press(buyer!, 1)).rejects.toMatchObject({ code: 'insufficient_usdt' })
  })

  test('after a payment was reported, the next press reads it from the chain', async () => {
    const sale = await startSale()
    const [buyer] = await openBuyers(sale, 1, '3')
    await loadPage(sale, buyer!)
    await sale.reserve(buyer!, 1)
    const hash = await sale.pay(buyer!.wallet, '3')
    await sale.post(buyer!, { quantity: 1, usdt: '3', hash })
    await sale.confirm()

    expect(await knownBalanceOf(sale, buyer!)).toBeNull()
    await expect(press(buyer!, 1)).rejects.toMatchObject({ code: 'insufficient_usdt' })
  })

  test('the worker keeps it up to date for a quarter of an hour after the page was loaded', async () => {
    const sale = await startSale()
    const [buyer] = await openBuyers(sale, 1, '3')
    await loadPage(sale, buyer!)
    await sale.chain.mintUsdt(buyer!.wallet.address, parseAmount('2')!)
    sale.server.clock.advance(20 * SECOND)
    await readWantedBalances.run(sale.server.services)
    expect(await knownBalanceOf(sale, buyer!)).toBe(String(parseAmount('5')))

    sale.server.clock.advance(15 * MINUTE)
    const ask = vi.spyOn(sale.server.services.paymentChain, 'usdtBalanceOf')
    await readWantedBalances.run(sale.server.services)
    expect(ask).not.toHaveBeenCalled()
  })
})

describe('what another process commits while a reservation waits for the supply counts', () => {
  test.each([
    [
      'a hold of the account',
      `insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, wallet, deposit_address, held_quantity, created_at,
         opened_at, expires_at)
       select gen_random_uuid(), id, 'pending', 333, 3, 999000000000000000000, $2, $2, 333, now(), now(), now() + interval '1 hour'
       from users where id = $1`,
      { code: 'insufficient_usdt', details: { held: '999' } },
    ],
    [
      'a hold of the wallet, by the account that had it before',
      `insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, wallet, deposit_address, held_quantity, created_at,
         opened_at, expires_at)
       select gen_random_uuid(), min(id::text)::uuid, 'pending', 333, 3, 999000000000000000000, $2, $2, 333, now(), now(),
         now() + interval '1 hour'
       from users where id <> $1`,
      { code: 'insufficient_usdt', details: { held: '999' } },
    ],
    [
      'another wallet of the account',
      `update users set wallet_address = '0x' || repeat('0', 39) || '1' where id = $1 and wallet_address = $2`,
      { walletAddress: `0x${'1'.padStart(40, '0')}` },
    ],
    [
      'a use of its codes',
      'update step_up_marks set consumed_at = now() where user_id = $1 and $2 <> $1::text',
      { code: 'otp_required' },
    ],
    ['the last node', 'update supply set reserved = total - paid - bonus where $1::text <> $2', soldOut],
  ])('%s', async (_, statement, expected) => {
    const sale = await startSale()
    const [buyer] = await openBuyers(sale, 2)
    await loadPage(sale, buyer!)

    const answer = await sale.database.orm.em.fork().transactional(async (em) => {
      await sql(em, 'select from supply for update')
      await sql(em, statement, [buyer!.user.id, buyer!.wallet.address.toLowerCase()])
      const pressed = press(buyer!).catch((error: unknown) => error)
      await waitForReservations(sale, 1)
      return { pressed }
    })

    expect(await answer.pressed).toMatchObject(expected)
  })

  test('the same request at two processes is one reservation', async () => {
    const sale = await startSale()
    const second = await startServer(sale.database, { config: sale.server.services.config })
    const [buyer] = await openBuyers(sale, 1)
    await loadPage(sale, buyer!)
    const elsewhere = second.openBrowser()
    elsewhere.setCookie('user_session', buyer!.browser.cookie('user_session')!)
    const key = crypto.randomUUID()

    const { answers } = await sale.database.orm.em.fork().transactional(async (em) => {
      await sql(em, 'select from supply for update')
      const pressed = [press(buyer!, 2, key), press({ browser: elsewhere }, 2, key)]
      await waitForReservations(sale, 2)
      return { answers: Promise.all(pressed) }
    })

    const [here, there] = await answers
    expect(here).toEqual(there)
    expect(await sale.supply()).toMatchObject({ reserved: 2 })
  })

  async function waitForReservations({ database }: Sale, count: number): Promise<void> {
    await expect.poll(() => countLockWaits(database, 'reserve_at_once')).toBe(count)
  }
})

test('requests are decided in the order in which they arrived at the process', async () => {
  const decided: number[][] = []
  const sale = await startSale({ supply: 2 })
  const observed = await startServer(sale.database, {
    config: sale.server.services.config,
    replace: { onDecided: (arrivals) => void decided.push([...arrivals]) },
  })
  const buyers = await openBuyers(sale, 6)
  await Promise.allSettled(
    buyers.map(({ browser }) => {
      const elsewhere = observed.openBrowser()
      elsewhere.setCookie('user_session', browser.cookie('user_session')!)
      return press({ browser: elsewhere })
    }),
  )

  const order = decided.flat()
  expect(order).toHaveLength(6)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})
