import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { DAY, MINUTE } from '#shared/dates.ts'
import { purchaseAmounts } from '#api/integrity/checks/purchases.ts'
import { sql } from '#api/platform/db/sql.ts'
import { approve, startBackOffice } from '#api/testing/backOffice.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { startSale } from '#api/testing/sale.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'

test('a payment without a request buys nothing while its account has an open request with another wallet', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 5)
  const next = makeAccount()
  await sale.chain.mintUsdt(next.address, parseAmount('9')!)
  const em = sale.server.services.orm.em.fork()
  await sql(
    em,
    "update wallet_registrations set address = $1, registered_at = now() - interval '1 hour', proven_at = now() - interval '1 hour'",
    [next.address.toLowerCase()],
  )
  await sql(em, 'update users set wallet_address = $1', [next.address.toLowerCase()])

  await sale.pay(next, '9')
  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('transfers of another wallet do not count towards the sum of a request', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const stranger = makeAccount()
  await sale.chain.mintUsdt(stranger.address, parseAmount('3')!)
  await sale.reserve(buyer, 2)
  const hash = await sale.pay(stranger, '3')
  const { id } = await sale.post(buyer, { quantity: 2, usdt: '6', hash })
  await sale.confirm()
  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'wrong_wallet', purchaseId: id }])

  await sale.pay(buyer.wallet, '3')
  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([
    { state: 'review', reason: 'wrong_wallet' },
    { state: 'review', reason: 'underpaid', purchaseId: id },
  ])
  expect(await sale.nodeNumbers()).toEqual([])

  // The wallet's own transfers add up, and the other wallet's transfer is left for review.
  await sale.pay(buyer.wallet, '3')
  await sale.confirm()
  expect(await sale.deposits()).toMatchObject([
    { state: 'review', reason: 'wrong_wallet' },
    { state: 'matched' },
    { state: 'matched' },
  ])
  expect(await sale.nodeNumbers()).toEqual([1, 2])
})

test('a payment settles the deposit that a confirmed purchase is owed for 30 days, and buys further nodes after that', async () => {
  const sale = await startSale({ mining: 'manual' })
  const [soon, late] = [await sale.openBuyer(), await sale.openBuyer()]
  const em = sale.server.services.orm.em.fork()
  const ids: string[] = []
  for (const buyer of [soon, late]) {
    await sale.reserve(buyer, 2)
    ids.push((await sale.post(buyer, { quantity: 2, usdt: '6' })).id)
  }
  await sql(em, `update purchases set status = 'confirmed', owed_deposit = true, held_quantity = 0`)
  await sql(em, 'update supply set reserved = 0')
  const openedAt = sale.server.clock.now().getTime()

  await sale.pay(soon.wallet, '6')
  await sale.chain.mineAt(new Date(openedAt + 30 * DAY - MINUTE))
  await sale.pay(late.wallet, '6')
  await sale.chain.mineAt(new Date(openedAt + 30 * DAY + MINUTE))
  await sale.confirm()

  const [first, second] = await sale.deposits()
  expect(first).toMatchObject({ state: 'matched', purchaseId: ids[0] })
  expect(second).toMatchObject({ state: 'matched' })
  expect(second!.purchaseId).not.toBe(ids[1])
  expect(await sale.nodeNumbers()).toEqual([1, 2])
})

test('a payment of the account that has proven its wallet is not taken for one owed by an account that only entered it', async () => {
  const sale = await startSale()
  const [buyer, other] = [await sale.openBuyer(), await sale.openBuyer()]
  const em = sale.server.services.orm.em.fork()
  const { id } = await sale.reserve(other, 2)
  await sql(em, `update purchases set status = 'confirmed', owed_deposit = true, held_quantity = 0, wallet = $1 where id = $2`, [
    buyer.wallet.address.toLowerCase(),
    id,
  ])
  await sql(em, 'update supply set reserved = 0')
  sale.server.clock.advance(MINUTE)

  await sale.pay(buyer.wallet, '6')
  await sale.confirm()

  const [deposit] = await sale.deposits()
  expect(deposit).toMatchObject({ state: 'matched' })
  expect(deposit!.purchaseId).not.toBe(id)
  expect(await sale.nodeNumbers()).toEqual([1, 2])
})

test('transfers of a wallet that nobody has proven are no parts of what its account owes', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer({ proven: false })
  const em = sale.server.services.orm.em.fork()
  const { id } = await sale.reserve(buyer, 4)
  await sql(em, `update purchases set status = 'confirmed', owed_deposit = true, held_quantity = 0 where id = $1`, [id])
  await sql(em, 'update supply set reserved = 0')
  sale.server.clock.advance(MINUTE)

  for (const usdt of ['6', '3']) await sale.pay(buyer.wallet, usdt)
  await sale.confirm()

  const unmatched = { state: 'review', reason: 'unmatched', purchaseId: null }
  expect(await sale.deposits()).toMatchObject([unmatched, unmatched])
})

test('a late payment waits for a person, though another account that only entered its wallet has a newer closed request', async () => {
  const sale = await startSale()
  const [buyer, other] = [await sale.openBuyer(), await sale.openBuyer()]
  const em = sale.server.services.orm.em.fork()
  await sale.reserve(other, 2)
  await sale.reserve(buyer, 2)
  await sql(
    em,
    `update purchases set status = 'cancelled', held_quantity = 0, closed_at = now(), closed_reason = 'administrator'`,
  )
  await sql(em, `update purchases set wallet = $1, opened_at = opened_at + interval '1 second' where user_id = $2`, [
    buyer.wallet.address.toLowerCase(),
    other.user.id,
  ])
  await sql(em, 'update supply set reserved = 0')
  sale.server.clock.advance(MINUTE)

  await sale.pay(buyer.wallet, '6')
  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'late' }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('a payment at the price of its reservation is confirmed though a change of price is dated a second before it', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const em = sale.server.services.orm.em.fork()
  // The administrator's machine dated the change, which was committed after the reservation had read the price.
  await sql(
    em,
    `insert into setting_changes (id, key, value, effective_at, product_effective_at)
     select gen_random_uuid(), 'node_price_usdt', '5', opened_at - interval '1 second', opened_at - interval '1 second' from purchases`,
  )
  await sale.pay(buyer.wallet, '4')
  await sale.confirm()
  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'underpaid' }])
  await sale.pay(buyer.wallet, '2')
  await sale.confirm()

  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
  const now = sale.server.clock.now()
  expect(await purchaseAmounts.run(em, { now, productNow: now })).toEqual([])
})

test('a decision concurrent with the watcher attaching a deposit is refused with request_in_progress', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const em = () => office.server.services.orm.em.fork()

  const { decision } = await em().transactional(async (em) => {
    // While this transaction locks the purchase, the decision waits for it and has found no deposit to lock.
    await sql(em, 'select from purchases where id = $1 for update', [id])
    const decision = approve(office.one.browser, id).catch((error: unknown) => error)
    await untilLockWaits(office.database)
    await sql(
      em,
      `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, first_seen_at, purchase_id)
       select gen_random_uuid(), 56, $2, 0, wallet, deposit_address, amount, now(), id from purchases where id = $1`,
      [id, `0x${'1'.repeat(64)}`],
    )
    return { decision }
  })

  expect(await decision).toMatchObject({ status: 409, code: 'request_in_progress' })
  expect(await office.purchases(buyer)).toMatchObject([{ paymentStatus: 'pending' }])
  expect(await office.log('purchase.')).toEqual([])
})
