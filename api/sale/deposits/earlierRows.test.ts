import type { Migration } from '@mikro-orm/migrations'
import { expect, test } from 'vitest'
import { assignDeposit } from '#shared/contract/admin/deposits.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import { Migration20261128030000_attached_hash as AttachedHash } from '#api/migrations/Migration20261128030000_attached_hash.ts'
import { Migration20261128050000_vanished_hash as VanishedHash } from '#api/migrations/Migration20261128050000_vanished_hash.ts'
import { Migration20261128040200_earlier_taken_payments as EarlierTakenPayments } from '#api/migrations/Migration20261128040200_earlier_taken_payments.ts'
import { sql } from '#api/platform/db/sql.ts'
import { approve, type BackOffice, manualConfirm, startBackOffice } from '#api/testing/backOffice.ts'

async function migrate(
  { database }: BackOffice,
  Correction: new (...args: ConstructorParameters<typeof Migration>) => Migration,
) {
  const { em, config } = database.superuser
  const correction = new Correction(em.getDriver(), config)
  await correction.up()
  for (const query of correction.getQueries().filter((each) => typeof each === 'string')) await sql(em.fork(), query)
}

test('a purchase that kept a wrong hash names the payment that was attached, and no other purchase is changed', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const wrong = `0x${'7'.repeat(64)}` as const
  const { id } = await office.openPurchase(buyer, 2, '6')
  await manualConfirm(office.one.browser, id, wrong, { override: true, notes: 'By mail.' })
  const unpaid = await office.openPurchase(buyer, 1, '3')
  await manualConfirm(office.one.browser, unpaid.id, `0x${'8'.repeat(64)}`, { override: true, notes: 'By mail.' })
  const hash = await office.pay(buyer.wallet, '6')
  await office.confirm()
  const em = office.database.superuser.em.fork()
  await sql(em, 'update purchases set transaction_hash = $1 where id = $2', [wrong, id])
  const before = await sql(em, 'select id, transaction_hash from purchases where id <> $1', [id])

  await migrate(office, AttachedHash)

  expect(await sql(em, 'select transaction_hash from purchases where id = $1', [id])).toEqual([{ transaction_hash: hash }])
  expect(await sql(em, 'select id, transaction_hash from purchases where id <> $1', [id])).toEqual(before)
})

test('a payment that another account got is in the history of who was told of it', async () => {
  const office = await startBackOffice()
  const [payer, friend] = [await office.openBuyer(), await office.openBuyer()]
  const { id: purchaseId } = await office.openPurchase(friend, 2, '6')
  const taken = await office.pay(payer.wallet, '7')
  const own = await office.pay(payer.wallet, '8')
  await office.confirm()
  await office.call(assignDeposit, { params: { id: await office.depositOf(taken) }, body: { purchaseId, note: 'Agreed.' } })
  await sql(office.database.superuser.em.fork(), 'update deposits set taken_from = null')
  const listed = async () => (await payer.browser.call(listPayments, {})).map(({ transactionHash }) => transactionHash)
  expect(await listed()).toEqual([own])

  await migrate(office, EarlierTakenPayments)

  expect(await listed()).toEqual(expect.arrayContaining([own, taken]))
})

test('a purchase approved with a payment that vanished names the one that was attached, and no other purchase is changed', async () => {
  const office = await startBackOffice({ mining: 'manual', confirmations: 3 })
  const [buyer, other] = [await office.openBuyer(), await office.openBuyer()]
  await office.openPurchase(other, 1, '3')
  await office.pay(other.wallet, '3')
  await office.chain.mine()
  await office.confirm()
  const { id } = await office.openPurchase(buyer, 2, '6')
  const vanished = await office.pay(buyer.wallet, '6')
  await office.chain.mine()
  await office.watch()
  await approve(office.one.browser, id)
  await office.chain.reorganize(1)
  await office.chain.mine(2)
  await office.watch()
  const hash = await office.pay(buyer.wallet, '6')
  await office.chain.mine()
  await office.confirm()
  const em = office.database.superuser.em.fork()
  const purchases = () => sql(em, 'select id, transaction_hash from purchases order by id')
  const right = await purchases()
  await sql(em, 'update purchases set transaction_hash = $1 where id = $2', [vanished, id])

  await migrate(office, VanishedHash)

  expect(await purchases()).toEqual(right)
  expect(right).toContainEqual({ id, transaction_hash: hash })
})
