import { type Address, encodeFunctionData, erc20Abi, type Hex, pad, toEventSelector, toHex } from 'viem'
import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { PRICE_TOLERANCE } from '../purchases/amountDue.ts'
import { expirePurchases } from '../purchases/expirePurchases.ts'
import { makeAccount, USDT_ADDRESS } from '#api/testing/chains.ts'
import { startSale } from '#api/testing/sale.ts'

test('a paid and reported reservation allocates nodes, sends a mail and releases its hold', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 10)
  const hash = await sale.pay(buyer.wallet, '30')

  const pending = await sale.post(buyer, { quantity: 10, usdt: '30', hash })
  await sale.watch()
  const [confirming] = await sale.purchases(buyer)
  await sale.confirm()

  expect(pending).toMatchObject({ paymentStatus: 'pending', finalQuantity: null, nodeNumbers: [], transactionHash: hash })
  expect(confirming?.payment).toMatchObject({ confirmations: 1, confirmationsNeeded: 3 })
  expect(await sale.purchases(buyer)).toMatchObject([
    {
      id: pending.id,
      paymentStatus: 'confirmed',
      purchaseResult: 'normal',
      finalQuantity: 10,
      transactionHash: hash,
      nodeNumbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      payment: { confirmations: 3 },
    },
  ])
  expect(await sale.deposits()).toMatchObject([{ state: 'matched', purchaseId: pending.id }])
  expect(await sale.supply()).toMatchObject({ paid: 10, reserved: 0 })
  const mails = await sql<{ text: string }>(sale.server.services.orm.em.fork(), 'select text from outgoing_mails')
  expect(mails.map(({ text }) => text)).toEqual([expect.stringContaining('Nodes: 1–10')])
})

test('nodes are active 24 hours after their deposit was first seen, by the product clock', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '6')
  await sale.watch()
  const seenAt = sale.server.clock.productNow()
  sale.server.clock.advance(HOUR)
  await sale.confirm()

  const nodes = await sql<{ active_from: string }>(sale.server.services.orm.em.fork(), 'select active_from from nodes')
  expect(nodes.map((node) => new Date(node.active_from).getTime())).toEqual([seenAt.getTime() + DAY, seenAt.getTime() + DAY])
})

test('a purchase is confirmed even if the browser is closed right after sending the transfer', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 4)
  await sale.pay(buyer.wallet, '12')

  await sale.watch()
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'pending', payment: { confirmations: 1 } }])
  await sale.confirm()

  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2, 3, 4] }])
})

test('a payment one wei short waits for the rest, which confirms the purchase', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 1)
  await sale.pay(buyer.wallet, '2.999999999999999999')
  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'underpaid' }])
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'amount_mismatch' }])
  expect(await sale.supply()).toMatchObject({ paid: 0, reserved: 0 })

  await sale.pay(buyer.wallet, '0.000000000000000001')
  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched', reason: null }, { state: 'matched' }])
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', purchaseResult: 'normal', nodeNumbers: [1] }])
})

test('a payment one wei too high goes to review as overpaid and keeps its supply', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 1)
  await sale.pay(buyer.wallet, '3.000000000000000001')

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'overpaid' }])
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'amount_mismatch' }])
  expect(await sale.supply()).toMatchObject({ paid: 0, reserved: 1 })
})

test('a payment from another wallet never pays the request, reported or not', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const other = makeAccount()
  await sale.chain.mintUsdt(other.address, 10n ** 20n)
  await sale.reserve(buyer, 2)
  const hash = await sale.pay(other, '6')
  await sale.post(buyer, { quantity: 2, usdt: '6', hash })

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'wrong_wallet' }])
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'wallet_mismatch' }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('a payment from an unknown wallet is unmatched, and ignored below the price of a node', async () => {
  const sale = await startSale()
  const stranger = makeAccount()
  await sale.chain.mintUsdt(stranger.address, 10n ** 20n)
  await sale.pay(stranger, '6')
  await sale.pay(stranger, '2.99')

  await sale.confirm()
  await sale.watch()

  expect(await sale.deposits()).toMatchObject([
    { state: 'review', reason: 'unmatched' },
    { state: 'ignored', amount: '2.99' },
  ])
})

test('a transfer of zero is ignored and affects no request', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 1)
  await sale.pay(buyer.wallet, '0')

  await sale.confirm()
  await sale.watch()

  expect(await sale.deposits()).toMatchObject([{ state: 'ignored', amount: '0' }])
  expect(await sale.supply()).toMatchObject({ reserved: 1 })
})

test('a transfer of a fake USDT token is not stored', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const lookAlike = makeAccount().address
  await sale.chain.placeToken(lookAlike)
  await sale.chain.client.setBalance({ address: buyer.wallet.address, value: 10n ** 18n })
  await sale.reserve(buyer, 1)
  await sale.chain.client.writeContract({
    account: buyer.wallet,
    address: lookAlike,
    abi: [
      {
        type: 'function',
        name: 'transfer',
        stateMutability: 'nonpayable',
        inputs: [{ type: 'address' }, { type: 'uint256' }],
        outputs: [{ type: 'bool' }],
      },
    ],
    functionName: 'transfer',
    args: [sale.depositAddress, 0n],
  })

  await sale.confirm()

  expect(await sale.deposits()).toEqual([])
})

test('two successive reservations of one amount get their nodes once each from two transfers', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const first = await sale.pay(buyer.wallet, '6')
  await sale.post(buyer, { quantity: 2, usdt: '6', hash: first })
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '6')

  await sale.confirm()

  const purchases = await sale.purchases(buyer)
  expect(purchases.map((purchase) => purchase.paymentStatus)).toEqual(['confirmed', 'confirmed'])
  expect(await sale.nodeNumbers()).toEqual([1, 2, 3, 4])
})

test('a payment mined after the reservation expired is late; one mined before is confirmed however late it is read', async () => {
  const sale = await startSale({ mining: 'manual' })
  const [punctual, late] = [await sale.openBuyer(), await sale.openBuyer()]
  const { expiresAt } = await sale.reserve(punctual, 2)
  await sale.reserve(late, 3)
  await sale.pay(punctual.wallet, '6')
  await sale.chain.mineAt(new Date(expiresAt.getTime() - SECOND))
  await sale.pay(late.wallet, '9')
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 10 * SECOND))
  sale.server.clock.set(new Date(expiresAt.getTime() + HOUR))

  await sale.confirm()

  expect(await sale.purchases(punctual)).toMatchObject([{ paymentStatus: 'confirmed' }])
  expect(await sale.purchases(late)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'late_payment' }])
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }, { state: 'review', reason: 'late' }])
  expect(await sale.supply()).toMatchObject({ paid: 2, reserved: 0 })
})

test('a payment after its reservation has expired goes to review', async () => {
  const sale = await startSale({ mining: 'manual' })
  const buyer = await sale.openBuyer()
  const { expiresAt } = await sale.reserve(buyer, 2)
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
  await sale.watch()
  sale.server.clock.set(new Date(expiresAt.getTime() + 3 * MINUTE))
  await expirePurchases(sale.server.services)
  expect(await sale.supply()).toMatchObject({ reserved: 0 })

  await sale.pay(buyer.wallet, '6')
  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'late' }])
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'late_payment' }])
})

test('a payment is late for a request closed within 30 days, and a new purchase after that', async () => {
  const sale = await startSale({ mining: 'manual' })
  const [late, anew] = [await sale.openBuyer(), await sale.openBuyer()]
  const { expiresAt } = await sale.reserve(late, 2)
  await sale.reserve(anew, 2)
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
  await sale.watch()
  sale.server.clock.set(new Date(expiresAt.getTime() + 3 * MINUTE))
  await expirePurchases(sale.server.services)
  await sale.pay(late.wallet, '6')
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 29 * DAY))
  await sale.pay(anew.wallet, '6')
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 31 * DAY))

  await sale.confirm()

  expect(await sale.purchases(late)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'late_payment' }])
  expect(await sale.purchases(anew)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
})

test('nothing expires until the blocks read are two minutes past its expiry, nor after its payment was seen', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 10 })
  const [waiting, paying] = [await sale.openBuyer(), await sale.openBuyer()]
  const { expiresAt } = await sale.reserve(waiting, 2)
  await sale.reserve(paying, 3)
  sale.server.clock.set(new Date(expiresAt.getTime() + DAY))
  await sale.pay(paying.wallet, '9')
  await sale.chain.mineAt(new Date(expiresAt.getTime() - MINUTE))
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 119 * SECOND))
  await sale.watch()
  await expirePurchases(sale.server.services)
  expect(await sale.supply()).toMatchObject({ reserved: 5 })

  await sale.chain.mineAt(new Date(expiresAt.getTime() + 121 * SECOND))
  await sale.watch()
  await expirePurchases(sale.server.services)

  expect(await sale.supply()).toMatchObject({ reserved: 3 })
})

test('a payment without any request becomes a purchase when wallet, authenticator, amount and sale allow it', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '9')

  await sale.confirm()

  expect(await sale.purchases(buyer)).toMatchObject([
    { paymentStatus: 'confirmed', requestedQuantity: 3, nodeNumbers: [1, 2, 3] },
  ])
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test.each([
  ['its amount is no multiple of the price', { usdt: '8' }],
  ['the authenticator is not enabled', { usdt: '9', otp: false }],
  ['the wallet was never proven', { usdt: '9', proven: false }],
])('a payment without any request goes to review when %s', async (_, { usdt, ...options }) => {
  const sale = await startSale()
  const buyer = await sale.openBuyer(options)
  await sale.pay(buyer.wallet, usdt)

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('a payment without any request goes to review while sales are off', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.set('sales_enabled', 'false')
  await sale.pay(buyer.wallet, '9')

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])
})

test('a payment mined before its wallet was registered goes to review, even if it is read after that', async () => {
  const sale = await startSale()
  const registeredAt = new Date(Date.now() + HOUR)
  const buyer = await sale.openBuyer({ registeredAt })
  await sale.pay(buyer.wallet, '9')
  sale.server.clock.set(new Date(registeredAt.getTime() + MINUTE))

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('a payment without any request mined before the sale began goes to review, even if it is read after that', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const start = new Date(Date.now() + HOUR)
  await sale.set('sales_start_date', start.toISOString())
  await sale.pay(buyer.wallet, '9')
  sale.server.clock.set(new Date(start.getTime() + MINUTE))

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('the price at the time of the block counts, not at the time of reading', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '9')
  await sale.chain.mine(sale.confirmations)
  await sql(
    sale.server.services.orm.em.fork(),
    `insert into setting_changes (id, key, value, effective_at, product_effective_at)
     values (gen_random_uuid(), 'node_price_usdt', '5', now() + interval '1 minute', now() + interval '1 minute')`,
  )

  await sale.watch()

  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2, 3] }])
})

test('an unproven wallet pays for a request opened before the block, and for none opened after it', async () => {
  const sale = await startSale({ mining: 'manual' })
  const buyer = await sale.openBuyer({ proven: false })
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine()
  sale.server.clock.advance(MINUTE)
  await sale.reserve(buyer, 2)
  await sale.confirm()
  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])

  await sale.pay(buyer.wallet, '6')
  await sale.chain.mineAt(new Date(sale.server.clock.now().getTime() + 20 * SECOND))
  await sale.confirm()

  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
})

test('a request made at a server whose clock is behind is younger than what was mined before, and is paid on time', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [entered, reporter] = [await sale.openBuyer({ proven: false }), await sale.openBuyer({ proven: false })]
  const { clock } = sale.server
  const mined = new Date(Number((await sale.chain.client.getBlock()).timestamp) * SECOND)

  clock.advance(-2 * HOUR)
  await sale.reserve(entered, 2)
  await reporter.grantMark()
  await sale.post(reporter, { quantity: 1, usdt: '3', hash: `0x${'1'.repeat(64)}` })
  await sale.reserve(buyer, 2)
  clock.advance(2 * HOUR)

  expect(await sql(sale.database.orm.em.fork(), 'select from purchases where opened_at < $1', [mined])).toEqual([])
  await sale.pay(buyer.wallet, '6')
  await sale.confirm()
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
})

test("an account that only enters another user's wallet receives none of its payments", async () => {
  const sale = await startSale()
  const wallet = makeAccount()
  const attacker = await sale.openBuyer({ wallet, proven: false })
  await sale.reserve(attacker, 2)
  const em = sale.server.services.orm.em.fork()
  await sql(em, 'update users set wallet_address = null')
  await sql(em, 'update wallet_registrations set removed_at = registered_at')
  const owner = await sale.openBuyer({ wallet })
  await sale.reserve(owner, 2)
  await sale.pay(wallet, '6')

  await sale.confirm()

  expect(await sale.purchases(owner)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
  expect(await sale.purchases(attacker)).toEqual([])
})

test('a payment for more nodes than can be bought at once goes to review', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer({ usdt: '9000000000' })
  await sale.pay(buyer.wallet, '9000000000')

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'unmatched' }])
})

test('a pending purchase whose supply is gone when it is paid goes to review', async () => {
  const sale = await startSale({ supply: 5, mining: 'manual' })
  const [slow, quick] = [await sale.openBuyer(), await sale.openBuyer()]
  const { expiresAt } = await sale.reserve(slow, 4)
  await sale.post(slow, { quantity: 4, usdt: '12' })
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
  await sale.watch()
  await expirePurchases(sale.server.services)
  sale.server.clock.set(new Date(expiresAt.getTime() + 4 * MINUTE))
  await sale.reserve(quick, 5)
  await sale.pay(slow.wallet, '12')

  await sale.confirm()

  expect(await sale.purchases(slow)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'insufficient_supply' }])
  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'insufficient_supply' }])
  expect(await sale.supply()).toMatchObject({ paid: 0, reserved: 5 })
})

test('a transfer seen after its purchase was confirmed by hand is matched and allocates nothing', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const { id } = await sale.post(buyer, { quantity: 2, usdt: '6' })
  const em = sale.server.services.orm.em.fork()
  await sql(em, `update purchases set status = 'confirmed', owed_deposit = true, held_quantity = 0 where id = $1`, [id])
  await sql(em, 'update supply set reserved = 0')
  await sale.pay(buyer.wallet, '6')

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched', purchaseId: id }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('a proven wallet pays no request of an account that has not proven it, even after its owner disconnected it', async () => {
  const sale = await startSale()
  const wallet = makeAccount()
  const attacker = await sale.openBuyer({ wallet, proven: false })
  await sale.reserve(attacker, 2)
  const em = sale.server.services.orm.em.fork()
  await sql(em, 'update users set wallet_address = null')
  await sql(em, 'update wallet_registrations set removed_at = registered_at')
  const owner = await sale.openBuyer({ wallet })
  await sale.reserve(owner, 2)
  await sql(em, "update wallet_registrations set removed_at = now() - interval '1 minute' where removed_at is null")
  await sql(em, 'update users set wallet_address = null')
  await sale.pay(wallet, '6')

  await sale.confirm()

  expect(await sale.purchases(owner)).toMatchObject([{ paymentStatus: 'confirmed' }])
  expect(await sale.purchases(attacker)).toEqual([])
})

test('a request at a price that was not in force when it was made is only confirmed by an administrator', async () => {
  const sale = await startSale()
  const [attacker, late] = [await sale.openBuyer(), await sale.openBuyer()]
  await attacker.grantMark()
  const invented = `0x${'1'.repeat(64)}` as const
  await expect(sale.post(attacker, { quantity: 10, usdt: '0.00000000000000001', hash: invented })).rejects.toMatchObject({
    code: 'amount_mismatch',
  })
  await sale.set('node_price_usdt', '3')
  await sale.set('node_price_usdt', '30')
  sale.server.clock.advance(PRICE_TOLERANCE)
  await late.grantMark()
  await sale.post(late, { quantity: 2, usdt: '6', hash: invented })
  await sale.pay(late.wallet, '6')

  await sale.confirm()

  expect(await sale.purchases(late)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'amount_mismatch' }])
  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'underpaid' }])
  expect(await sale.supply()).toMatchObject({ paid: 0, reserved: 0 })
})

test('a first payment of one wei fixes the price for a day at most', async () => {
  const sale = await startSale({ mining: 'manual' })
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 1)
  await sale.pay(buyer.wallet, '0.000000000000000001')
  await sale.confirm()
  await sale.pay(buyer.wallet, '2.999999999999999999')
  await sale.chain.mineAt(new Date(Date.now() + DAY + MINUTE))

  await sale.confirm()

  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'late_payment' }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('of two requests of one amount, the one with the reported hash is paid even if it is younger', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const older = await sale.post(buyer, { quantity: 2, usdt: '6' })
  sale.server.clock.advance(SECOND)
  await sale.reserve(buyer, 2)
  const hash = await sale.pay(buyer.wallet, '6')
  const younger = await sale.post(buyer, { quantity: 2, usdt: '6', hash })

  await sale.confirm()

  const states = Object.fromEntries((await sale.purchases(buyer)).map(({ id, paymentStatus }) => [id, paymentStatus]))
  expect(states).toEqual({ [older.id]: 'pending', [younger.id]: 'confirmed' })
})

test('an amount that fits no request goes to the oldest one, and opens no purchase even if it would buy nodes', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const older = await sale.post(buyer, { quantity: 2, usdt: '6' })
  sale.server.clock.advance(SECOND)
  await sale.reserve(buyer, 5)
  await sale.pay(buyer.wallet, '9')

  await sale.confirm()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'overpaid', purchaseId: older.id }])
  expect(await sale.nodeNumbers()).toEqual([])
})

test('a payment to an earlier deposit address is found', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const earlier = makeAccount().address
  await sql(sale.server.services.orm.em.fork(), 'insert into deposit_addresses (address, added_at) values ($1, now())', [
    earlier.toLowerCase(),
  ])
  await sale.chain.transferUsdt({ from: buyer.wallet, to: earlier, amount: 6n * 10n ** 18n })

  await sale.confirm()

  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
})

test('a purchase cancelled because its wallet was empty is confirmed by a payment mined before the cancellation', async () => {
  const sale = await startSale({ mining: 'manual' })
  const buyer = await sale.openBuyer({ usdt: '6' })
  const { expiresAt } = await sale.reserve(buyer, 2)
  await sale.post(buyer, { quantity: 2, usdt: '6' })
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 3 * MINUTE))
  await sale.watch()
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mineAt(new Date(expiresAt.getTime() + 4 * MINUTE))
  sale.server.clock.set(new Date(expiresAt.getTime() + 5 * MINUTE))
  await expirePurchases(sale.server.services)
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'cancelled' }])

  await sale.confirm()

  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'confirmed', nodeNumbers: [1, 2] }])
})

test('BNB, a failed transfer, and a contract that only emits the log are not stored and confirm nothing, reported or not', async () => {
  const sale = await startSale()
  const { chain, depositAddress } = sale
  const buyer = await sale.openBuyer({ usdt: '3' })
  await chain.client.setBalance({ address: buyer.wallet.address, value: 10n ** 18n })
  await sale.reserve(buyer, 1)
  const send = async (to: Address, rest: { value?: bigint; data?: Hex }) => {
    const hash = await chain.client.sendTransaction({ account: buyer.wallet, to, gas: 100_000n, ...rest })
    return chain.client.waitForTransactionReceipt({ hash })
  }
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [depositAddress, parseAmount('1000')!] })
  // Only emits the log of a transfer of 3 USDT from the buyer to us.
  const logEmitter = makeAccount().address
  await chain.client.setCode({
    address: logEmitter,
    bytecode: sayTransferred(buyer.wallet.address, depositAddress, parseAmount('3')!),
  })

  const coins = await send(depositAddress, { value: parseAmount('0.1')! })
  const failed = await send(USDT_ADDRESS, { data: transfer })
  const lie = await send(logEmitter, {})
  expect(failed.status).toBe('reverted')
  expect(lie.logs).toMatchObject([{ topics: [toEventSelector('Transfer(address,address,uint256)'), {}, {}] }])
  for (const { transactionHash: hash } of [coins, failed, lie]) await sale.post(buyer, { quantity: 1, usdt: '3', hash })
  await sale.confirm()

  expect(await sale.deposits()).toEqual([])
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'pending', nodeNumbers: [] }])
})

/** Bytecode that emits the log of a transfer without transferring. */
function sayTransferred(from: Address, to: Address, amount: bigint): Hex {
  const push = (value: Hex) => `7f${pad(value).slice(2)}`
  const topics = [to, from, toEventSelector('Transfer(address,address,uint256)')].map(push).join('')
  // mstore(0, amount); log3(0, 32, topic, from, to)
  return `0x${push(toHex(amount))}600052${topics}60206000a300`
}
