import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import { startArchiveWorld } from '#api/testing/archiveWorld.ts'
import { attributeToAccount, attributeTransfer } from '#api/withdrawals/payouts/attributeTransfer.ts'
import { readOwed, settleDebts } from '#api/withdrawals/requests/debts.ts'

const WALLET = `0x${'12'.repeat(20)}` as const
const COLLECTOR = `0x${'34'.repeat(20)}` as const

/** January is archived. A transfer of the payout wallet that was mined then, and whose rows are lost, is found on the chain. */
async function startWithTransfers() {
  const world = await startArchiveWorld()
  const { orm, clock, services, one, inTransaction } = world
  await sql(orm.em.fork(), 'insert into payout_wallets (address, next_nonce) values ($1, 6)', [WALLET])
  await inTransaction((em) =>
    changeSetting(em, { key: 'fee_recipient_address', value: COLLECTOR, effectiveAt: new Date('2027-01-01T00:00:00Z') }),
  )
  await world.archive()
  let nonce = 0
  const found = (blockTime: string, recipient: `0x${string}`, xcr: string) => {
    nonce += 1
    return {
      transactionHash: `0x${String(nonce).padStart(64, '0')}` as const,
      nonce,
      ordinal: 0,
      recipient,
      amount: parseAmount(xcr)!,
      blockNumber: BigInt(nonce),
      blockTime: new Date(blockTime),
    }
  }
  return {
    ...world,
    pay: (blockTime: string, xcr: string) =>
      inTransaction((em) =>
        attributeToAccount(em, services, {
          wallet: WALLET,
          transfer: found(blockTime, `0x${'56'.repeat(20)}`, xcr),
          actor: 'operator:test',
          recipient: { userId: one, email: 'one@example.com' },
          reason: 'found on the chain',
        }),
      ),
    sweep: (blockTime: string, xcr: string) =>
      orm.em
        .fork()
        .transactional((em) =>
          attributeTransfer(em, services, { wallet: WALLET, transfer: found(blockTime, COLLECTOR, xcr), actor: 'operator:test' }),
        ),
    booked: () =>
      sql(
        orm.em.fork(),
        `select split_part(cause, ':', 1) as kind, date::text from ledger_entries
         where cause not like 'distribution:%' order by recorded_at, cause`,
      ),
    settle: () => settleDebts.run({ orm, clock }),
  }
}

test('a lost payment of an archived month is booked on the first day after it, to the second of the block', async () => {
  const { orm, find, pay, booked, settle, one } = await startWithTransfers()
  await pay('2027-01-31T23:59:59Z', '20')
  await pay('2027-02-01T00:00:00Z', '20')
  await pay('2027-02-02T00:00:00Z', '20')
  expect(await booked()).toEqual(
    ['2027-02-01', '2027-02-01', '2027-02-02'].flatMap((date) => ['fee', 'withdrawal'].map((kind) => ({ kind, date }))),
  )
  // The time of the block is kept.
  expect(
    await sql(orm.em.fork(), `select requested_at as at from withdrawals where created_at = '2027-02-01 00:00Z' order by 1`),
  ).toEqual([{ at: '2027-01-31T23:59:59.000Z' }, { at: '2027-02-01T00:00:00.000Z' }])
  // More than it has: what pays the debt is entered on the same day.
  await pay('2027-01-30T00:00:00Z', '100000')
  expect(await readOwed(orm.em.fork(), one)).toBeGreaterThan(0n)
  await settle()
  expect(await find()).toEqual([])
})

test('a lost sweep of an archived month is booked on the first day after it that has none', async () => {
  const { find, pay, sweep } = await startWithTransfers()
  await pay('2027-02-03T12:00:00Z', '20')
  await pay('2027-02-03T12:00:00Z', '20')
  expect(await sweep('2027-01-30T12:00:00Z', '5')).toBe('is booked as the sweep of 2027-02-01.')
  expect(await sweep('2027-01-31T12:00:00Z', '5')).toBe('is booked as the sweep of 2027-02-02.')
  expect(await sweep('2027-02-02T12:00:00Z', '5')).toBe('is booked as the sweep of 2027-02-03.')
  expect(await find()).toEqual([])
})
