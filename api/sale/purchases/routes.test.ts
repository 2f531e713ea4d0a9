import { describe, expect, test } from 'vitest'
import * as contract from '#shared/contract/purchases.ts'
import { parseAmount } from '#shared/amount.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { makeAccount } from '#api/testing/chains.ts'
import type { Buyer } from '#api/testing/people.ts'
import { startSale } from '#api/testing/sale.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { expirePurchases } from './expirePurchases.ts'

const randomHash = () => `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}` as const

describe('POST /api/node-purchase/reservation', () => {
  test('holds supply and fixes price and deposit address for 30 minutes', async () => {
    const sale = await startSale({ supply: 20 })
    const buyer = await sale.openBuyer()

    const made = await sale.reserve(buyer, 10)
    const reservedAt = sale.server.clock.now()
    await sale.set('node_price_usdt', '5')

    expect(made).toMatchObject({
      requestedQuantity: 10,
      unitPriceUsdt: parseAmount('3'),
      purchaseAmountUsdt: parseAmount('30'),
      depositAddress: sale.depositAddress,
      expiresAt: new Date(reservedAt.getTime() + 30 * MINUTE),
    })
    expect(await sale.supply()).toMatchObject({ reserved: 10 })
    expect(await buyer.browser.call(contract.getReservation, {})).toEqual(made)
    expect(await sale.purchases(buyer)).toEqual([])
  })

  test('returns the open reservation for the same quantity and consumes no mark', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    const first = await sale.reserve(buyer, 3)

    const again = await buyer.browser.call(contract.createReservation, { body: { requestedQuantity: 3 } })

    expect(again).toEqual(first)
    expect(await sale.supply()).toMatchObject({ reserved: 3 })
  })

  test('replaces the open reservation when the quantity differs', async () => {
    const sale = await startSale({ supply: 5 })
    const buyer = await sale.openBuyer()
    const first = await sale.reserve(buyer, 3)

    const second = await sale.reserve(buyer, 5)

    expect(second.id).not.toBe(first.id)
    expect(await sale.supply()).toMatchObject({ reserved: 5 })
  })

  test('is not replaced once its payment was seen', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    const { id } = await sale.reserve(buyer, 3)
    await sale.pay(buyer.wallet, '9')
    await sale.watch()

    await expect(sale.reserve(buyer, 5)).rejects.toMatchObject({ code: 'reservation_conflict' })

    await sale.confirm()
    expect(await sale.purchases(buyer)).toMatchObject([{ id, paymentStatus: 'confirmed', nodeNumbers: [1, 2, 3] }])
  })

  test('is not returned after its time, when a payment for it would be late', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    const first = await sale.reserve(buyer, 3)
    sale.server.clock.set(first.expiresAt)

    const second = await sale.reserve(buyer, 3)

    expect(second.id).not.toBe(first.id)
    expect(second.expiresAt > first.expiresAt).toBe(true)
    expect(await sale.supply()).toMatchObject({ reserved: 3 })
  })

  test('concurrent requests of one account make one reservation', async () => {
    const sale = await startSale({ supply: 100 })
    const buyer = await sale.openBuyer()
    for (let i = 0; i < 20; i += 1) await buyer.grantMark()

    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        buyer.browser.call(contract.createReservation, { body: { requestedQuantity: (i % 7) + 1 } }),
      ),
    )

    const open = await sql(
      sale.server.services.orm.em.fork(),
      `select requested_quantity from purchases where status = 'reserved'`,
    )
    expect(open).toHaveLength(1)
    expect((await sale.supply()).reserved).toBe((open[0] as { requested_quantity: number }).requested_quantity)
  })

  test('has one effect when repeated with its idempotency key, and refuses the key with another body', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    const key = crypto.randomUUID()
    const first = await sale.reserve(buyer, 2, key)
    await buyer.browser.call(contract.releaseReservation, {})

    const again = await buyer.browser.call(
      contract.createReservation,
      { body: { requestedQuantity: 2 } },
      { idempotencyKey: key },
    )
    const other = buyer.browser.call(contract.createReservation, { body: { requestedQuantity: 3 } }, { idempotencyKey: key })

    expect(again).toEqual(first)
    await expect(other).rejects.toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    expect(await sale.supply()).toMatchObject({ reserved: 0 })
  })

  test('consumes one mark of this session, at most 30 minutes old', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    const ask = (requestedQuantity: number) => buyer.browser.call(contract.createReservation, { body: { requestedQuantity } })

    await expect(ask(1)).rejects.toMatchObject({ status: 403, code: 'otp_required' })
    await buyer.grantMark()
    await ask(1)
    await expect(ask(2)).rejects.toMatchObject({ code: 'otp_required' })
    await buyer.grantMark()
    sale.server.clock.advance(30 * MINUTE)
    await expect(ask(2)).rejects.toMatchObject({ code: 'otp_required' })
  })

  test.each([
    ['sales are off', 'sales_off', {}, async (sale) => sale.set('sales_enabled', 'false')],
    [
      'sales have not started',
      'sales_not_started',
      {},
      async (sale) => sale.set('sales_start_date', new Date(Date.now() + DAY).toISOString()),
    ],
    ['no wallet is registered', 'wallet_required', { wallet: null }, async () => {}],
    ['the authenticator is not enabled', 'otp_not_enabled', { otp: false }, async () => {}],
    ['the wallet holds too little', 'insufficient_usdt', { usdt: '5.999999999999999999' }, async () => {}],
  ] as [string, string, object, (sale: Awaited<ReturnType<typeof startSale>>) => Promise<void>][])(
    'is refused when %s',
    async (_, code, options, change) => {
      const sale = await startSale()
      await change(sale)
      const buyer = await sale.openBuyer(options)

      await expect(sale.reserve(buyer, 2)).rejects.toMatchObject({ code })
      expect(await sale.supply()).toMatchObject({ reserved: 0 })
    },
  )

  test('is refused above the remaining supply, which the error contains', async () => {
    const sale = await startSale({ supply: 4 })
    await sale.reserve(await sale.openBuyer(), 3)

    const answer = sale.reserve(await sale.openBuyer(), 2)

    await expect(answer).rejects.toMatchObject({
      code: 'insufficient_supply',
      serverMessage: 'Insufficient remaining node quantity.',
      details: { remaining: '1' },
    })
  })

  test('succeeds while the chain does not answer', async () => {
    const sale = await startSale({ rpcUrls: () => ['http://127.0.0.1:9'] })
    const buyer = await sale.openBuyer()

    await expect(sale.reserve(buyer, 2)).resolves.toMatchObject({ requestedQuantity: 2 })
  })

  test('sees the supply left by the reservation before it', async () => {
    const sale = await startSale({ supply: 10 })
    const buyer = await sale.openBuyer()
    await buyer.grantMark()
    const em = () => sale.server.services.orm.em.fork()

    const reserving = await em().transactional(async (em) => {
      await sql(em, 'update supply set reserved = reserved + 8 where id = 1')
      const request = buyer.browser.call(contract.createReservation, { body: { requestedQuantity: 3 } }).catch((error) => error)
      await untilLockWaits(sale.database)
      return { request }
    })

    expect(await reserving.request).toMatchObject({ code: 'insufficient_supply', details: { remaining: '2' } })
  })

  test('is possible from the start date in product time', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.set('sales_start_date', new Date(sale.server.clock.productNow().getTime() + HOUR).toISOString())
    await expect(sale.reserve(buyer, 1)).rejects.toMatchObject({ code: 'sales_not_started' })

    sale.server.clock.advanceProduct(HOUR)

    await expect(sale.reserve(buyer, 1)).resolves.toMatchObject({ requestedQuantity: 1 })
  })

  test('pauses the account for 30 minutes after two unpaid expiries', async () => {
    const sale = await startSale({ mining: 'manual' })
    const buyer = await sale.openBuyer()
    for (let i = 0; i < 2; i += 1) {
      const { expiresAt } = await sale.reserve(buyer, 1)
      await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
      sale.server.clock.set(new Date(expiresAt.getTime() + 3 * MINUTE))
      await sale.watch()
      await expirePurchases(sale.server.services)
    }

    await expect(sale.reserve(buyer, 1)).rejects.toMatchObject({ status: 429, code: 'too_many_reservations' })
    sale.server.clock.advance(30 * MINUTE + SECOND)
    await expect(sale.reserve(buyer, 1)).resolves.toMatchObject({ requestedQuantity: 1 })
  })

  test.each([
    { how: 'replaced', giveUp: async () => {} },
    { how: 'released', giveUp: (buyer: Buyer) => buyer.browser.call(contract.releaseReservation, {}) },
  ])('holds nodes for an hour at most however often it is $how', async ({ giveUp }) => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    for (let minutes = 0; minutes < 60; minutes += 9) {
      await sale.reserve(buyer, 1 + (minutes % 2))
      sale.server.clock.advance(9 * MINUTE)
      await giveUp(buyer)
    }

    await expect(sale.reserve(buyer, 5)).rejects.toMatchObject({ status: 429, code: 'too_many_reservations' })
  })

  test('that may not be replaced any more can be made when the refusal says', async () => {
    const sale = await startSale({ mining: 'manual' })
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 1)
    sale.server.clock.advance(29 * MINUTE)
    await sale.reserve(buyer, 2)
    sale.server.clock.advance(29 * MINUTE)
    const { expiresAt } = await sale.reserve(buyer, 3)
    sale.server.clock.advance(10 * MINUTE)
    const said = await sale.reserve(buyer, 1).then(
      () => '',
      ({ message }: Error) => /in (\d+) minutes/.exec(message)![1],
    )
    const saidAt = sale.server.clock.now().getTime() + Number(said) * MINUTE

    // The sweep comes every ten seconds, and the newest block may be three seconds old.
    const closedAt = new Date(expiresAt.getTime() + 2 * MINUTE + 13 * SECOND)
    await sale.chain.mineAt(closedAt)
    sale.server.clock.set(closedAt)
    await sale.watch()
    await expirePurchases(sale.server.services)
    sale.server.clock.set(new Date(saidAt))

    await expect(sale.reserve(buyer, 1)).resolves.toMatchObject({ requestedQuantity: 1 })
  })

  test('that is not replaced any more can still be paid', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    for (const quantity of [1, 2, 3]) {
      sale.server.clock.advance(25 * MINUTE)
      await sale.reserve(buyer, quantity)
    }
    sale.server.clock.advance(15 * MINUTE)
    await expect(sale.reserve(buyer, 1)).rejects.toMatchObject({ code: 'too_many_reservations' })
    // The watcher has read nothing for an hour, so nothing has expired.
    sale.server.clock.advance(HOUR)
    await expect(sale.reserve(buyer, 1)).rejects.toMatchObject({ serverMessage: expect.stringContaining('in 30 minutes.') })

    await sale.pay(buyer.wallet, '9')
    await sale.confirm()

    expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', finalQuantity: 3 }])
    await expect(sale.reserve(buyer, 1)).resolves.toMatchObject({ requestedQuantity: 1 })
  })
})

test('a paid reservation is returned again although the wallet is now empty', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer({ usdt: '6' })
  const made = await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '6')

  await expect(buyer.browser.call(contract.createReservation, { body: { requestedQuantity: 2 } })).resolves.toEqual(made)
})

test('a purchase between two expiries resets their count', async () => {
  const sale = await startSale({ mining: 'manual' })
  const buyer = await sale.openBuyer()
  const letExpire = async () => {
    const { expiresAt } = await sale.reserve(buyer, 1)
    await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
    sale.server.clock.set(new Date(expiresAt.getTime() + 3 * MINUTE))
    await sale.watch()
    await expirePurchases(sale.server.services)
  }
  await letExpire()
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '6')
  await sale.confirm()
  await letExpire()

  await expect(sale.reserve(buyer, 1)).resolves.toMatchObject({ requestedQuantity: 1 })
})

test('a reservation expires despite many older pending purchases that hold no supply', async () => {
  const sale = await startSale({ mining: 'manual' })
  const [patient, idle] = [await sale.openBuyer({ usdt: '9000' }), await sale.openBuyer()]
  await sql(
    sale.server.services.orm.em.fork(),
    `insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, wallet, deposit_address, created_at, opened_at, expires_at, posted_at)
     select gen_random_uuid(), $1, 'pending', 1, 3e18, 3e18, $2, $3, now(), now() - interval '1 hour', now() - interval '30 minutes', now()
     from generate_series(1, 300)`,
    [patient.user.id, patient.wallet.address.toLowerCase(), sale.depositAddress],
  )
  const { expiresAt } = await sale.reserve(idle, 2)
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
  await sale.watch()

  await expirePurchases(sale.server.services)

  expect(await sale.supply()).toMatchObject({ reserved: 0 })
})

describe('DELETE /api/node-purchase/reservation', () => {
  test('releases the supply', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 3)

    await buyer.browser.call(contract.releaseReservation, {})

    expect(await sale.supply()).toMatchObject({ reserved: 0 })
    expect(await buyer.browser.call(contract.getReservation, {})).toBeNull()
  })

  test('is refused after the payment was seen', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 3)
    await sale.pay(buyer.wallet, '9')
    await sale.watch()

    const answer = buyer.browser.call(contract.releaseReservation, {})

    await expect(answer).rejects.toMatchObject({ code: 'reservation_conflict' })
  })

  test('a transfer under way when the reservation is released still gets its nodes', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 3)
    await sale.pay(buyer.wallet, '9')
    await buyer.browser.call(contract.releaseReservation, {})

    await sale.confirm()

    expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2, 3] }])
  })
})

describe('POST /api/node-purchase', () => {
  test('succeeds with only the two specified keys and no reservation', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await buyer.grantMark()

    const purchase = await sale.post(buyer, { quantity: 5, usdt: '15' })
    await sale.pay(buyer.wallet, '15')
    await sale.confirm()

    expect(purchase).toMatchObject({ paymentStatus: 'pending', requestedQuantity: 5 })
    expect(await sale.purchases(buyer)).toMatchObject([
      { id: purchase.id, paymentStatus: 'confirmed', nodeNumbers: [1, 2, 3, 4, 5] },
    ])
  })

  test('requires a mark and the current price without a reservation', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()

    await expect(sale.post(buyer, { quantity: 5, usdt: '15' })).rejects.toMatchObject({ code: 'otp_required' })
    await buyer.grantMark()
    await expect(sale.post(buyer, { quantity: 5, usdt: '14' })).rejects.toMatchObject({ status: 400, code: 'amount_mismatch' })
  })

  test('an outdated price is refused without a hash and goes to review with one', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.set('node_price_usdt', '3')
    await sale.set('node_price_usdt', '4')
    await buyer.grantMark()

    await expect(sale.post(buyer, { quantity: 2, usdt: '6' })).rejects.toMatchObject({ status: 409, code: 'price_changed' })
    const taken = await sale.post(buyer, { quantity: 2, usdt: '6', hash: randomHash() })

    expect(taken).toMatchObject({ paymentStatus: 'manual_review', purchaseResult: 'amount_mismatch' })
  })

  test("turns the caller's reservation into a purchase although sales are off, the price has changed and no mark is left", async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 2)
    await sale.set('sales_enabled', 'false')
    await sale.set('node_price_usdt', '9')

    const purchase = await sale.post(buyer, { quantity: 2, usdt: '6', hash: randomHash() })

    expect(purchase).toMatchObject({ paymentStatus: 'pending', purchaseResult: 'normal' })
    expect(await sale.supply()).toMatchObject({ reserved: 2 })
  })

  test('turns an expired reservation into a purchase, which takes supply that is left', async () => {
    const sale = await startSale({ mining: 'manual' })
    const buyer = await sale.openBuyer()
    const { expiresAt } = await sale.reserve(buyer, 2)
    await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
    await sale.watch()
    sale.server.clock.set(new Date(expiresAt.getTime() + 3 * MINUTE))
    await expirePurchases(sale.server.services)
    const hash = await sale.pay(buyer.wallet, '6')

    await sale.post(buyer, { quantity: 2, usdt: '6', hash })
    expect(await sale.supply()).toMatchObject({ reserved: 0 })
    await sale.confirm()

    expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
  })

  test('turns no reservation that its owner has released into a purchase', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 3)
    await buyer.browser.call(contract.releaseReservation, {})

    await expect(sale.post(buyer, { quantity: 3, usdt: '9' })).rejects.toMatchObject({ code: 'otp_required' })

    expect(await sale.purchases(buyer)).toEqual([])
  })

  test('with a code for another purchase, the terms of a paid one open another one', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.pay(buyer.wallet, '6')
    await sale.confirm()
    const [paid] = await sale.purchases(buyer)
    await buyer.grantMark()

    const { id } = await sale.post(buyer, { quantity: 2, usdt: '6' })

    expect(id).not.toBe(paid!.id)
  })

  test('a hash posted twice by its owner with two keys is credited once', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 2)
    const hash = await sale.pay(buyer.wallet, '6')

    const first = await sale.post(buyer, { quantity: 2, usdt: '6', hash })
    await sale.confirm()
    const second = await sale.post(buyer, { quantity: 2, usdt: '6', hash })

    expect(second.id).toBe(first.id)
    expect(await sale.nodeNumbers()).toEqual([1, 2])
  })

  test('a hash posted first by another user buys nodes for the payer, and is refused for the other once it is seen', async () => {
    const sale = await startSale()
    const [payer, attacker, lateAttacker] = [await sale.openBuyer(), await sale.openBuyer(), await sale.openBuyer()]
    await sale.reserve(payer, 2)
    await sale.reserve(attacker, 2)
    await sale.reserve(lateAttacker, 2)
    const hash = await sale.pay(payer.wallet, '6')
    await sale.post(attacker, { quantity: 2, usdt: '6', hash })
    await sale.confirm()

    expect(await sale.purchases(payer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
    expect(await sale.purchases(attacker)).toMatchObject([{ paymentStatus: 'pending', nodeNumbers: [] }])
    await expect(sale.post(lateAttacker, { quantity: 2, usdt: '6', hash })).rejects.toMatchObject({
      status: 409,
      code: 'transaction_foreign',
    })
    expect(await sale.nodeNumbers()).toEqual([1, 2])
  })

  test('another hash for an unseen payment replaces the first and opens no second purchase', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 2)
    const first = await sale.post(buyer, { quantity: 2, usdt: '6', hash: randomHash() })

    const faster = randomHash()
    expect(await sale.post(buyer, { quantity: 2, usdt: '6', hash: faster })).toMatchObject({
      id: first.id,
      paymentStatus: 'pending',
      transactionHash: faster,
    })
    // A hash with another quantity or after an entered code means a new purchase.
    await expect(sale.post(buyer, { quantity: 1, usdt: '3', hash: randomHash() })).rejects.toMatchObject({ code: 'otp_required' })
    await buyer.grantMark()
    expect((await sale.post(buyer, { quantity: 2, usdt: '6', hash: randomHash() })).id).not.toBe(first.id)

    // Only the chain decides which transaction has paid.
    const hash = await sale.pay(buyer.wallet, '6')
    await sale.confirm()
    expect(await sale.purchases(buyer)).toContainEqual(
      expect.objectContaining({ paymentStatus: 'confirmed', nodeNumbers: [1, 2], transactionHash: hash }),
    )
  })

  test('reporting an unseen payment from an empty wallet holds no supply', async () => {
    const sale = await startSale({ supply: 100 })
    const buyer = await sale.openBuyer({ usdt: '0' })
    await buyer.grantMark()

    await expect(sale.post(buyer, { quantity: 100, usdt: '300' })).rejects.toMatchObject({ code: 'insufficient_usdt' })
    await sale.post(buyer, { quantity: 100, usdt: '300', hash: randomHash() })

    expect(await sale.supply()).toMatchObject({ reserved: 0 })
  })

  test('reporting a payment that the watcher already found returns its purchase, with or without a hash', async () => {
    const sale = await startSale()
    const [paid, underpaid] = [await sale.openBuyer(), await sale.openBuyer()]
    await sale.reserve(paid, 2)
    await sale.reserve(underpaid, 2)
    await sale.pay(paid.wallet, '6')
    const hash = await sale.pay(underpaid.wallet, '5')
    await sale.confirm()

    const confirmed = await sale.post(paid, { quantity: 2, usdt: '6' })
    const inReview = await sale.post(underpaid, { quantity: 2, usdt: '6', hash })

    expect(confirmed).toMatchObject({ paymentStatus: 'confirmed', nodeNumbers: [1, 2] })
    expect(inReview).toMatchObject({ paymentStatus: 'manual_review', purchaseResult: 'amount_mismatch' })
    expect(await sale.purchases(underpaid)).toHaveLength(1)
  })

  test('a report concurrent with the watcher finding the payment returns the purchase', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 2)
    const hash = await sale.pay(buyer.wallet, '6')
    const em = () => sale.server.services.orm.em.fork()

    const { settled, report } = await em().transactional(async (em) => {
      // At this point the watcher has locked the deposit and the purchase, and the report cannot see its changes.
      await sql(em, 'select from supply for update')
      const settled = sale.confirm()
      await untilLockWaits(sale.database)
      const report = sale.post(buyer, { quantity: 2, usdt: '6', hash }).catch((error: unknown) => error)
      await untilLockWaits(sale.database, 2)
      return { settled, report }
    })
    await settled

    expect(await report).toMatchObject({ paymentStatus: 'confirmed', nodeNumbers: [1, 2] })
    expect(await sale.purchases(buyer)).toHaveLength(1)
  })

  test('two concurrent requests with one key make one purchase', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    for (let i = 0; i < 5; i += 1) await buyer.grantMark()
    const key = crypto.randomUUID()

    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => sale.post(buyer, { quantity: 1, usdt: '3' }, key)))

    expect(await sale.purchases(buyer)).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ status: 409, code: 'request_in_progress' })
    }
  })

  test('a hash that has already paid is refused for another purchase', async () => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 2)
    const hash = await sale.pay(buyer.wallet, '6')
    await sale.confirm()
    await sale.reserve(buyer, 5)

    const again = await sale.post(buyer, { quantity: 5, usdt: '15', hash })

    expect(again).toMatchObject({ requestedQuantity: 2, paymentStatus: 'confirmed' })
    expect(await sale.nodeNumbers()).toEqual([1, 2])
  })

  test('a pending purchase without a payment is cancelled after 30 minutes if the wallet is empty, and after 24 hours otherwise', async () => {
    const sale = await startSale({ mining: 'manual' })
    const [broke, idle] = [await sale.openBuyer({ usdt: '6' }), await sale.openBuyer()]
    const { expiresAt } = await sale.reserve(broke, 2)
    await sale.reserve(idle, 3)
    await sale.post(broke, { quantity: 2, usdt: '6' })
    await sale.post(idle, { quantity: 3, usdt: '9' })
    await sale.chain.transferUsdt({ from: broke.wallet, to: makeAccount().address, amount: 1n })
    const passTo = async (time: Date) => {
      await sale.chain.mineAt(time)
      await sale.watch()
      sale.server.clock.set(time)
      await expirePurchases(sale.server.services)
    }

    await passTo(new Date(expiresAt.getTime() + 3 * MINUTE))
    expect(await sale.purchases(broke)).toMatchObject([{ paymentStatus: 'cancelled' }])
    expect(await mailsTo(sale.database, broke.user.email)).toMatchObject([
      {
        subject: 'Your purchase of 2 nodes was closed',
        text: expect.stringContaining(
          'No payment of 6 USDT for it has arrived in time, so no nodes are reserved for it any more.',
        ),
      },
    ])
    expect(await sale.purchases(idle)).toMatchObject([{ paymentStatus: 'pending' }])
    expect(await mailsTo(sale.database, idle.user.email)).toEqual([])
    expect(await sale.supply()).toMatchObject({ reserved: 0 })

    await passTo(new Date(expiresAt.getTime() + DAY))
    expect(await sale.purchases(idle)).toMatchObject([{ paymentStatus: 'cancelled' }])
    expect(await mailsTo(sale.database, idle.user.email)).toMatchObject([{ subject: 'Your purchase of 3 nodes was closed' }])
  })

  test('a pending purchase whose payment is found while its wallet is read keeps its supply', async () => {
    const sale = await startSale({ mining: 'manual', confirmations: 10 })
    const buyer = await sale.openBuyer()
    const { expiresAt } = await sale.reserve(buyer, 2)
    await sale.post(buyer, { quantity: 2, usdt: '6' })
    await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
    await sale.watch()
    const { services } = sale.server

    await expirePurchases({
      ...services,
      paymentChain: {
        ...services.paymentChain,
        async usdtBalanceOf() {
          await sale.pay(buyer.wallet, '6')
          await sale.chain.mine()
          await sale.watch()
          return 0n
        },
      },
    })

    expect(await sale.supply()).toMatchObject({ reserved: 2 })
    expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'pending' }])
  })

  test("lists only the caller's purchases", async () => {
    const sale = await startSale()
    const [mine, theirs] = [await sale.openBuyer(), await sale.openBuyer()]
    await sale.reserve(theirs, 1)
    await sale.post(theirs, { quantity: 1, usdt: '3' })

    expect(await sale.purchases(mine)).toEqual([])
  })
})

test('200 concurrent buyers of a supply of 10 get at most 10 nodes with unique numbers, and each payment is confirmed or in review', async () => {
  const sale = await startSale({ supply: 10, mining: 'manual' })
  const buyers = await Promise.all(Array.from({ length: 200 }, () => sale.openBuyer()))
  await sale.chain.mine()
  const random = seeded(7)
  const wishes = buyers.map((buyer) => ({ buyer, quantity: 1 + Math.floor(random() * 3), pays: random() < 0.6 }))

  const attempts = await Promise.all(
    wishes.map(async (wish) => ({
      ...wish,
      reservation: await sale.reserve(wish.buyer, wish.quantity).catch((error: unknown) => error),
    })),
  )
  const granted = attempts.filter((attempt) => !(attempt.reservation instanceof Error))
  expect(granted.reduce((sum, { quantity }) => sum + quantity, 0)).toBeLessThanOrEqual(10)
  // Refused buyers who pay directly from the wallet must not lose their money either.
  const stubborn = attempts.filter(({ reservation }) => reservation instanceof Error).slice(0, 10)
  // The first one always: who is granted depends on whose request arrives first.
  const payers = [...granted.filter(({ pays }, index) => pays || index === 0), ...stubborn]
  await Promise.all(payers.map(({ buyer, quantity }) => sale.pay(buyer.wallet, String(quantity * 3))))
  await sale.confirm()

  const { paid, reserved, total } = await sale.supply()
  const numbers = await sale.nodeNumbers()
  expect(numbers.length).toBe(paid)
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(paid + reserved).toBeLessThanOrEqual(total)
  const deposits = await sale.deposits()
  expect(deposits).toHaveLength(payers.length)
  expect(new Set(deposits.map(({ state }) => state))).toEqual(new Set(['matched', 'review']))
  for (const { buyer, quantity } of payers) {
    const [purchase] = await sale.purchases(buyer)
    expect(purchase).toBeDefined()
    if (purchase!.paymentStatus === 'confirmed') expect(purchase!.nodeNumbers).toHaveLength(quantity)
    else expect(purchase).toMatchObject({ paymentStatus: 'manual_review', purchaseResult: 'insufficient_supply' })
  }
})

/** A deterministic replacement for Math.random. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
