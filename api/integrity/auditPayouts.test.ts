import type { EntityManager } from '@mikro-orm/postgresql'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { expectDifferences, checksWithoutDamage, whileDamaged } from '#api/testing/damage.ts'
import { XCR_SOURCE } from '#api/testing/giveXcr.ts'
import { startPayouts } from '#api/testing/payouts.ts'
import { runAudit } from '#api/testing/runAudit.ts'
import { useShared } from '#api/testing/onCleanup.ts'
import { markWithdrawalPaid } from '#api/withdrawals/requests/markWithdrawalPaid.ts'
import { readPayment } from '#api/withdrawals/requests/readPayment.ts'
import { rejectWithdrawal } from '#api/withdrawals/requests/rejectWithdrawal.ts'
import { auditDatabase } from './auditDatabase.ts'
import { auditPayouts, endpointsAgree } from './auditPayouts.ts'
import type { Check } from './Check.ts'
import { payoutChecks } from './checks/all.ts'
import { balances, systemAccounts } from './checks/balances.ts'
import { freezes } from './checks/freezes.ts'
import { onceOnly } from './checks/onceOnly.ts'
import { noncesOnChain, paidOnChain } from './checks/payoutsOnChain.ts'
import { signedTerms } from './checks/signedTerms.ts'
import { dailyTotals } from './checks/totals.ts'
import * as withdrawals from './checks/withdrawals.ts'
import { createPayoutChains } from './createPayoutChains.ts'

/** Paid, refunded, open and waiting withdrawals, and a paid sweep. */
const world = useShared(async () => {
  const payouts = await startPayouts()
  const { orm, services, clock } = payouts
  const paid = await payouts.open({ amount: '3000', fee: '5' })
  const other = await payouts.open({ amount: '4000', fee: '5' })
  const refunded = await payouts.open({ amount: '5000', fee: '5' })
  await orm.em.fork().transactional((em) => rejectWithdrawal(em, services, { id: refunded.id, reason: 'test' }))
  await payouts.tick()
  await payouts.tick()
  await payouts.confirm()
  await payouts.collectFees(makeAccount().address)
  await payouts.tick()
  await payouts.confirm()
  const open = await payouts.open({ amount: '6000', fee: '5' })
  await payouts.tick()
  await payouts.tick()
  const waiting = await payouts.open({ amount: '7000', fee: '5' })
  const sweepDay = utcDay(clock.productNow())
  const swept = (await payouts.payouts()).find(({ cause }) => cause === `sweep:${sweepDay}`)
  if (swept?.state !== 'paid') throw new Error('The fees were not swept.')

  const payoutChain = createPayoutChains(services.config)
  return {
    ...payouts,
    paid,
    other,
    refunded,
    open,
    waiting,
    sweepDay,
    /** The findings of the audit, without the account that gives tests their XCR. */
    find: async (em: EntityManager = orm.em.fork()) => {
      const findings = [...(await auditDatabase(em)), ...(await auditPayouts(em, payoutChain)).findings]
      return findings
        .flatMap(({ name, differences }) => differences.map((difference) => ({ name, difference })))
        .filter(({ difference }) => !difference.includes(XCR_SOURCE))
    },
  }
})

type World = typeof world

const { payouts: payoutsAccount } = houseAccounts

/** Damage to the rows, and exactly the differences that the audit must find, each with its check. */
const damages: [name: string, statements: (world: World) => string | string[], found: [Check | string, RegExp][]][] = [
  [
    'a missing debit',
    ({ waiting }) => `delete from ledger_entries where cause = 'withdrawal:${waiting.id}'`,
    [
      [balances, /holds .* its entries say/],
      [balances, /holds .* its entries say/],
      [withdrawals.withdrawalEntries, /^withdrawal:.* of 7000 XCR has no entry$/],
    ],
  ],
  [
    'a debit with another amount and matching balances',
    ({ waiting }) => `with e as (update ledger_entries set amount = amount - 1 where cause = 'withdrawal:${waiting.id}'),
      u as (update accounts set balance = balance + 1 where id = '${waiting.user.id}')
      update accounts set balance = balance - 1 where id = '${payoutsAccount}'`,
    [
      [withdrawals.withdrawalEntries, /^withdrawal:.* is 7000 XCR, its entry 6999\.9{18} XCR$/],
      [withdrawals.payoutAccounts, /^the account payouts holds .* withdrawals and sweeps say/],
    ],
  ],
  [
    'a missing fee entry',
    ({ paid }) => `delete from ledger_entries where cause = 'fee:${paid.id}'`,
    [
      [balances, /its entries say/],
      [balances, /its entries say/],
      [withdrawals.withdrawalEntries, /^fee:.* of 5 XCR has no entry$/],
    ],
  ],
  [
    'a missing refund entry',
    ({ refunded }) => `delete from ledger_entries where cause = 'refund:${refunded.id}'`,
    [
      [balances, /its entries say/],
      [balances, /its entries say/],
      [withdrawals.withdrawalEntries, /^refund:.* of 5000 XCR has no entry$/],
    ],
  ],
  [
    'a pending withdrawal with a refund entry',
    ({ refunded }) => `update withdrawals set status = 'pending', refunded_at = null where id = '${refunded.id}'`,
    [
      [withdrawals.withdrawalEntries, /^the entry refund:.* of 5000 XCR has no cause$/],
      [withdrawals.payoutAccounts, /^the account payouts holds/],
      [dailyTotals, /^withdrawals_counted of /],
    ],
  ],
  [
    'a missing withdrawal',
    ({ waiting }) => `delete from withdrawals where id = '${waiting.id}'`,
    [
      [withdrawals.withdrawalEntries, /^the entry withdrawal:.* of 7000 XCR has no cause$/],
      [withdrawals.payoutAccounts, /^the account payouts holds/],
      [dailyTotals, /^withdrawals of /],
      [dailyTotals, /^withdrawals_counted of /],
    ],
  ],
  [
    'a debt without an entry, and a repaid one without entries',
    ({ paid, other }) => [
      `insert into debts (id, withdrawal_id, user_id, amount, owed, opened_at)
       values ('${paid.id}', '${paid.id}', '${paid.user.id}', 5, 5, now())`,
      `insert into debts (id, withdrawal_id, user_id, amount, owed, opened_at, closed_at)
       values ('${other.id}', '${other.id}', '${other.user.id}', 7, 0, now(), now())`,
    ],
    [
      [withdrawals.debtEntries, /^debt:.* of 0\.0{17}5 XCR has no entry$/],
      [withdrawals.debtEntries, /^debt:.* of 0\.0{17}7 XCR has no entry$/],
      [withdrawals.debtEntries, /^debt-paid:.* of 0\.0{17}7 XCR has no entry$/],
    ],
  ],
  [
    'a withdrawal that claims to be booked from the chain without an operator',
    ({ paid }) =>
      `update withdrawals set signed_message = 'Booked from transfer ' || transfer_ordinal || ' of transaction ' || transaction_hash ||
         '. The signed message is lost.' where id = '${paid.id}'`,
    [[signedTerms, /^withdrawal .* has the hash of another message$/]],
  ],
  [
    'a sweep without an entry',
    ({ sweepDay }) => `delete from ledger_entries where cause = 'sweep:${sweepDay}'`,
    [
      [balances, /its entries say/],
      [balances, /its entries say/],
      [withdrawals.sweepEntries, /^sweep:.* of 10 XCR has no entry$/],
    ],
  ],
  [
    'a failed sweep without a reversal',
    ({ sweepDay }) => `update payouts set state = 'reverted' where cause = 'sweep:${sweepDay}'`,
    [
      [withdrawals.sweepEntries, /^sweep-back:.* of 10 XCR has no entry$/],
      [withdrawals.payoutAccounts, /^the account payouts holds/],
      [withdrawals.payoutAccounts, /^the account fees holds/],
      [paidOnChain, / transfers 10 XCR from .* without a recorded payout$/],
    ],
  ],
  [
    'a processing withdrawal without a payout',
    ({ waiting }) => `update withdrawals set status = 'processing' where id = '${waiting.id}'`,
    [[withdrawals.payoutRows, /is processing and has no payout$/]],
  ],
  [
    'a paid payout of a processing withdrawal',
    ({ open }) => `update payouts set state = 'paid', settled_at = now() where withdrawal_id = '${open.id}'`,
    [[withdrawals.payoutRows, /and its withdrawal name different transactions$/]],
  ],
  [
    'a payout to another wallet',
    ({ open }) => `update payouts set recipient = '0x${'9'.repeat(40)}' where withdrawal_id = '${open.id}'`,
    [[withdrawals.payoutRows, /pays another wallet or amount than requested$/]],
  ],
  [
    'a payout without a signed transaction',
    ({ open }) => `delete from payout_attempts where payout_id = (select id from payouts where withdrawal_id = '${open.id}')`,
    [[withdrawals.payoutRows, /has a nonce but no signed transaction$/]],
  ],
  [
    'a gap in the nonces',
    () => 'update payouts set nonce = nonce + 1 where nonce = (select max(nonce) from payouts)',
    [
      [withdrawals.payoutNonces, /^nonce 3 of .* is missing/],
      [withdrawals.payoutNonces, /^nonce 4 of .* not below its next nonce$/],
    ],
  ],
  [
    'a wallet whose next nonce is too low',
    () => 'update payout_wallets set next_nonce = 2',
    [
      [withdrawals.payoutNonces, /^nonce 2 of /],
      [withdrawals.payoutNonces, /^nonce 3 of /],
      [noncesOnChain, /has sent 3 transactions, 2 are recorded$/],
    ],
  ],
  [
    'a completed withdrawal whose transaction is not on the chain',
    ({ paid }) => `with w as (update withdrawals set transaction_hash = '0x${'0'.repeat(64)}' where id = '${paid.id}')
      update payouts set final_hash = '0x${'0'.repeat(64)}' where withdrawal_id = '${paid.id}'`,
    [
      [paidOnChain, /^withdrawal:.* is completed, but 0x0{64} does not transfer 2995 XCR/],
      [paidOnChain, / transfers 2995 XCR from .* without a recorded payout$/],
    ],
  ],
  [
    'a completed withdrawal with the transfer of another one',
    ({ paid, other }) => `with t as (select transaction_hash as hash from withdrawals where id = '${other.id}'),
      p as (update payouts set final_hash = hash from t where withdrawal_id = '${paid.id}')
      update withdrawals set transaction_hash = hash, transfer_ordinal = 1 from t where id = '${paid.id}'`,
    [
      [paidOnChain, /^withdrawal:.* is completed, but .* does not transfer 2995 XCR/],
      [paidOnChain, / transfers 2995 XCR from /],
    ],
  ],
  [
    'a withdrawal of more than the signed amount with a matching debit',
    ({ waiting }) => [
      `update withdrawals set amount = amount + 1 where id = '${waiting.id}'`,
      `update ledger_entries set amount = amount + 1 where cause = 'withdrawal:${waiting.id}'`,
      `update accounts set balance = balance + 1 where id = '${payoutsAccount}'`,
      `update accounts set balance = balance - 1, may_go_negative = true where id = '${waiting.user.id}'`,
    ],
    [
      [systemAccounts, /may become negative$/],
      [signedTerms, /^withdrawal .* is 7000\.0{17}1 XCR less 5 to 0x.*, but the message says 7000 XCR less 5 to 0x/],
      [dailyTotals, /^withdrawals of /],
      [dailyTotals, /^withdrawals_counted of /],
    ],
  ],
  [
    'a withdrawal to another wallet than the signed one',
    ({ waiting }) => `update withdrawals set to_address = '0x${'9'.repeat(40)}' where id = '${waiting.id}'`,
    [[signedTerms, /less 5 to 0x9{40}, but the message says 7000 XCR less 5 to 0x/]],
  ],
  [
    'two withdrawals with the same signed message',
    ({ waiting, paid }) => [
      'alter table withdrawals drop constraint withdrawals_message_hash_unique',
      `update withdrawals set message_hash = (select message_hash from withdrawals where id = '${paid.id}') where id = '${waiting.id}'`,
    ],
    [
      [signedTerms, /^withdrawal .* has the hash of another message$/],
      [onceOnly, /^withdrawal signed as [0-9a-f]{64}: there are 2$/],
    ],
  ],
  [
    'two payouts with the same nonce',
    ({ open, sweepDay }) => [
      'alter table payouts drop constraint payouts_wallet_address_nonce_unique',
      `update payouts set nonce = (select nonce from payouts where cause = 'sweep:${sweepDay}') where withdrawal_id = '${open.id}'`,
    ],
    [
      [onceOnly, /^payout with the nonce 0x.* 2: there are 2$/],
      [withdrawals.payoutNonces, /^nonce 3 of .* is missing/],
    ],
  ],
  [
    'a withdrawal that was signed for a frozen account',
    ({ open }) => `update users set frozen_at = now() - interval '1 day' where id = '${open.user.id}'`,
    [[freezes, /^withdrawal .* was signed at .* and its account was frozen at /]],
  ],
  [
    'a withdrawal of a frozen account that would be signed next',
    ({ waiting }) => `update users set frozen_at = now() where id = '${waiting.user.id}'`,
    [[freezes, /^withdrawal .* of a frozen account is pending$/]],
  ],
]

test('the audit finds nothing in consistent data', async () => {
  expect(await world.find()).toEqual([])
})

test.for(damages)('the audit finds %s', async ([, statements, found]) => {
  const differences = await whileDamaged(world.database, statements(world), (em) => world.find(em))
  expectDifferences(differences, found)
})

test('every check finds at least one damage', () => {
  expect(checksWithoutDamage([...payoutChecks, paidOnChain, noncesOnChain], damages)).toEqual([])
})

test('the audit reports an unavailable chain, unless nothing was ever paid out', async () => {
  const { orm, services } = world
  const unavailable = createPayoutChains({ ...services.config, XCR_RPC_URLS: ['http://127.0.0.1:9'] })
  await expect(auditPayouts(orm.em.fork(), unavailable)).rejects.toThrow(
    'the reward chain does not answer (127.0.0.1:9 did not answer)',
  )
  await expect(auditPayouts(orm.em.fork(), undefined)).rejects.toThrow('no reward chain is configured')

  const withoutPayouts = 'truncate debts, withdrawals, payouts, payout_attempts, payout_wallets'
  expect(await whileDamaged(world.database, withoutPayouts, (em) => auditPayouts(em, undefined))).toEqual({
    findings: [],
    unread: [],
  })
})

test('the audit names an endpoint that differs from the rows and the others, at any position', async () => {
  const { orm, services, chain, paid } = world
  const liar = await startFaultyRpc(chain.url)
  const { host } = new URL(liar.url)
  for (const XCR_RPC_URLS of [
    [liar.url, chain.url],
    [chain.url, liar.url],
  ]) {
    liar.fail(({ method }) =>
      method === 'eth_getLogs' || method === 'eth_getTransactionReceipt'
        ? { rewrite: (): unknown => (method === 'eth_getLogs' ? [] : null) }
        : undefined,
    )
    const { findings } = await auditPayouts(orm.em.fork(), createPayoutChains({ ...services.config, XCR_RPC_URLS }))
    const found = findings.filter(({ differences }) => differences.length > 0)
    expect(found.map(({ name }) => name)).toEqual([endpointsAgree])
    expect(found[0]!.differences).toContainEqual(
      expect.stringMatching(new RegExp(`^${host} alone says: withdrawal:${paid.id} is completed, but `)),
    )
    liar.fail(() => 'drop')
    const remaining = await auditPayouts(orm.em.fork(), createPayoutChains({ ...services.config, XCR_RPC_URLS }))
    expect(remaining.unread).toEqual([`${host} did not answer`])
    expect(remaining.findings.flatMap(({ differences }) => differences)).toEqual([])
  }
})

test('the command compares with the chain, and reports an unavailable one', async () => {
  const { database, chain, services } = world
  const env = {
    XCR_RPC_URLS: chain.url,
    XCR_TOKEN_ADDRESS: chain.token,
    XCR_CONFIRMATIONS: String(services.config.XCR_CONFIRMATIONS),
  }
  const [complete, withoutChain] = await Promise.all([
    runAudit(database.url, env),
    runAudit(database.url, { ...env, XCR_RPC_URLS: 'http://127.0.0.1:9' }),
  ])
  expect(complete.output).toContain(`ok         ${noncesOnChain}`)
  expect(complete.output).toContain(`ok         ${paidOnChain}`)
  expect(withoutChain.output).toContain(
    'NOT READ   Payouts were not compared with the reward chain: the reward chain does not answer',
  )
})

test('the audit accepts a final unsettled payout and a payment by hand, and finds a theft', async () => {
  const { chain, confirmations, orm, services, waiting, privateKey, find } = world
  await chain.mine(confirmations + 1)
  expect(await find()).toEqual([])

  const helper = makeAccount()
  await chain.mint(helper.address, parseAmount('10000')!)
  await chain.mine(2)
  const hash = await chain.transfer({ from: helper, to: waiting.toAddress, amount: parseAmount('6995')! })
  await chain.mine(confirmations)
  const payment = await readPayment(rewardEndpoints(services.config), { config: services.config, transactionHash: hash })
  const late = { ...payment, blockTime: new Date(waiting.requestedAt.getTime() + 1) }
  await orm.em.fork().transactional((em) => markWithdrawalPaid(em, services, { id: waiting.id, payment: late }))
  expect(await find()).toEqual([])
  const otherTransfer = `update withdrawals set transfer_ordinal = 1 where id = '${waiting.id}'`
  expect(await whileDamaged(world.database, otherTransfer, (em) => find(em))).toEqual([
    { name: paidOnChain, difference: expect.stringMatching(/does not transfer 6995 XCR/) },
  ])

  await chain.transfer({ from: privateKeyToAccount(privateKey), to: makeAccount().address, amount: parseAmount('1')! })
  await chain.mine(confirmations)
  expect(await find()).toEqual([
    {
      name: paidOnChain,
      difference: expect.stringMatching(/^0x.* transfers 1 XCR from 0x.* to 0x.* without a recorded payout$/),
    },
    { name: noncesOnChain, difference: expect.stringMatching(/has sent 5 transactions, 4 are recorded$/) },
  ])
})
