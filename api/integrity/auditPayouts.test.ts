import type { EntityManager } from '@mikro-orm/postgresql'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { expectFound, namesWithoutDamage, whileDamaged } from '#api/testing/damage.ts'
import { XCR_SOURCE } from '#api/testing/giveXcr.ts'
import { startPayouts } from '#api/testing/payouts.ts'
import { runAudit } from '#api/testing/runAudit.ts'
import { useShared } from '#api/testing/whenOver.ts'
import { markWithdrawalPaid } from '#api/withdrawals/requests/markWithdrawalPaid.ts'
import { readPayment } from '#api/withdrawals/requests/readPayment.ts'
import { rejectWithdrawal } from '#api/withdrawals/requests/rejectWithdrawal.ts'
import { auditBooks } from './auditBooks.ts'
import { auditPayouts, endpointsAlike } from './auditPayouts.ts'
import type { Check } from './Check.ts'
import { payoutChecks } from './checks/all.ts'
import { balances, houseAlone } from './checks/balances.ts'
import { onceOnly } from './checks/onceOnly.ts'
import { noncesOnChain, paidOnChain } from './checks/payoutsOnChain.ts'
import { signedTerms } from './checks/signedTerms.ts'
import { dailyTotals } from './checks/totals.ts'
import * as withdrawals from './checks/withdrawals.ts'
import { createPayoutChains } from './createPayoutChains.ts'

/** A paid, a refunded, an open and a waiting withdrawal, and a paid sweep. */
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
    /** What the audit finds, but for where the XCR of tests comes from. */
    find: async (em: EntityManager = orm.em.fork()) => {
      const findings = [...(await auditBooks(em)), ...(await auditPayouts(em, payoutChain)).findings]
      return findings
        .flatMap(({ name, differences }) => differences.map((difference) => ({ name, difference })))
        .filter(({ difference }) => !difference.includes(XCR_SOURCE))
    },
  }
})

type World = typeof world

const { payouts: payoutsAccount } = houseAccounts

/** What is done to the rows, by hand, and each difference that must be found, with its check. Nothing else may be found. */
const damages: [what: string, statements: (world: World) => string | string[], found: [Check | string, RegExp][]][] = [
  [
    'a debit that is gone',
    ({ waiting }) => `delete from ledger_entries where cause = 'withdrawal:${waiting.id}'`,
    [
      [balances, /holds .* its entries say/],
      [balances, /holds .* its entries say/],
      [withdrawals.withdrawalEntries, /^withdrawal:.* of 7000 XCR has no entry$/],
    ],
  ],
  [
    'a debit of another amount, balances and all',
    ({ waiting }) => `with e as (update ledger_entries set amount = amount - 1 where cause = 'withdrawal:${waiting.id}'),
      u as (update accounts set balance = balance + 1 where id = '${waiting.user.id}')
      update accounts set balance = balance - 1 where id = '${payoutsAccount}'`,
    [
      [withdrawals.withdrawalEntries, /^withdrawal:.* is 7000 XCR, its entry 6999\.9{18} XCR$/],
      [withdrawals.payoutAccounts, /^the account payouts holds .* withdrawals and sweeps say/],
    ],
  ],
  [
    'a fee that was never taken',
    ({ paid }) => `delete from ledger_entries where cause = 'fee:${paid.id}'`,
    [
      [balances, /its entries say/],
      [balances, /its entries say/],
      [withdrawals.withdrawalEntries, /^fee:.* of 5 XCR has no entry$/],
    ],
  ],
  [
    'a refund that was never given',
    ({ refunded }) => `delete from ledger_entries where cause = 'refund:${refunded.id}'`,
    [
      [balances, /its entries say/],
      [balances, /its entries say/],
      [withdrawals.withdrawalEntries, /^refund:.* of 5000 XCR has no entry$/],
    ],
  ],
  [
    'a withdrawal that is both refunded and on its way',
    ({ refunded }) => `update withdrawals set status = 'pending', refunded_at = null where id = '${refunded.id}'`,
    [
      [withdrawals.withdrawalEntries, /^the entry refund:.* of 5000 XCR stands for nothing$/],
      [withdrawals.payoutAccounts, /^the account payouts holds/],
      [dailyTotals, /^withdrawals_counted of /],
    ],
  ],
  [
    'a withdrawal that is gone',
    ({ waiting }) => `delete from withdrawals where id = '${waiting.id}'`,
    [
      [withdrawals.withdrawalEntries, /^the entry withdrawal:.* of 7000 XCR stands for nothing$/],
      [withdrawals.payoutAccounts, /^the account payouts holds/],
      [dailyTotals, /^withdrawals of /],
      [dailyTotals, /^withdrawals_counted of /],
    ],
  ],
  [
    'a debt that nobody has lent, and one that is paid off by nothing',
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
    'a withdrawal that claims to be booked from the chain, and no operator did it',
    ({ paid }) =>
      `update withdrawals set signed_message = 'Booked from transfer ' || transfer_ordinal || ' of transaction ' || transaction_hash ||
         '. The signed message is lost.' where id = '${paid.id}'`,
    [[signedTerms, /^withdrawal .* has the mark of another message$/]],
  ],
  [
    'a sweep whose fees are still there',
    ({ sweepDay }) => `delete from ledger_entries where cause = 'sweep:${sweepDay}'`,
    [
      [balances, /its entries say/],
      [balances, /its entries say/],
      [withdrawals.sweepEntries, /^sweep:.* of 10 XCR has no entry$/],
    ],
  ],
  [
    'a sweep that failed and kept its fees',
    ({ sweepDay }) => `update payouts set state = 'reverted' where cause = 'sweep:${sweepDay}'`,
    [
      [withdrawals.sweepEntries, /^sweep-back:.* of 10 XCR has no entry$/],
      [withdrawals.payoutAccounts, /^the account payouts holds/],
      [withdrawals.payoutAccounts, /^the account fees holds/],
      [paidOnChain, /^10 XCR left .*, and nothing of ours says why$/],
    ],
  ],
  [
    'a withdrawal on its way without a payout',
    ({ waiting }) => `update withdrawals set status = 'processing' where id = '${waiting.id}'`,
    [[withdrawals.payoutRows, /is processing and has no payout$/]],
  ],
  [
    'a payout that is paid while its withdrawal waits for it',
    ({ open }) => `update payouts set state = 'paid', settled_at = now() where withdrawal_id = '${open.id}'`,
    [[withdrawals.payoutRows, /is paid by another transaction than its withdrawal names$/]],
  ],
  [
    'a payout to another wallet',
    ({ open }) => `update payouts set recipient = '0x${'9'.repeat(40)}' where withdrawal_id = '${open.id}'`,
    [[withdrawals.payoutRows, /pays another wallet or amount than was asked for$/]],
  ],
  [
    'a nonce with nothing signed',
    ({ open }) => `delete from payout_attempts where payout_id = (select id from payouts where withdrawal_id = '${open.id}')`,
    [[withdrawals.payoutRows, /has a nonce and nothing signed$/]],
  ],
  [
    'a nonce that is left out',
    () => 'update payouts set nonce = nonce + 1 where nonce = (select max(nonce) from payouts)',
    [
      [withdrawals.payoutNonces, /^nonce 3 of .* is missing/],
      [withdrawals.payoutNonces, /^nonce 4 of .* beyond the wallet's next$/],
    ],
  ],
  [
    'a wallet that has forgotten a nonce',
    () => 'update payout_wallets set next_nonce = 2',
    [
      [withdrawals.payoutNonces, /^nonce 2 of /],
      [withdrawals.payoutNonces, /^nonce 3 of /],
      [noncesOnChain, /has sent 3 transactions, we know of 2$/],
    ],
  ],
  [
    'a completed withdrawal whose transaction is not on the chain',
    ({ paid }) => `with w as (update withdrawals set transaction_hash = '0x${'0'.repeat(64)}' where id = '${paid.id}')
      update payouts set final_hash = '0x${'0'.repeat(64)}' where withdrawal_id = '${paid.id}'`,
    [
      [paidOnChain, /^withdrawal:.* is completed, and 0x0{64} does not transfer 2995 XCR/],
      [paidOnChain, /^2995 XCR left .* and nothing of ours says why$/],
    ],
  ],
  [
    "a completed withdrawal that names another's transfer",
    ({ paid, other }) => `with t as (select transaction_hash as hash from withdrawals where id = '${other.id}'),
      p as (update payouts set final_hash = hash from t where withdrawal_id = '${paid.id}')
      update withdrawals set transaction_hash = hash, transfer_ordinal = 1 from t where id = '${paid.id}'`,
    [
      [paidOnChain, /^withdrawal:.* is completed, and .* does not transfer 2995 XCR/],
      [paidOnChain, /^2995 XCR left /],
    ],
  ],
  [
    'a withdrawal of more than was signed for, debit and all',
    ({ waiting }) => [
      `update withdrawals set amount = amount + 1 where id = '${waiting.id}'`,
      `update ledger_entries set amount = amount + 1 where cause = 'withdrawal:${waiting.id}'`,
      `update accounts set balance = balance + 1 where id = '${payoutsAccount}'`,
      `update accounts set balance = balance - 1, may_go_negative = true where id = '${waiting.user.id}'`,
    ],
    [
      [houseAlone, /may go below zero$/],
      [signedTerms, /^withdrawal .* is 7000\.0{17}1 XCR less 5 to 0x.*; signed was 7000 XCR less 5 to 0x/],
      [dailyTotals, /^withdrawals of /],
      [dailyTotals, /^withdrawals_counted of /],
    ],
  ],
  [
    'a withdrawal to a wallet that was not signed',
    ({ waiting }) => `update withdrawals set to_address = '0x${'9'.repeat(40)}' where id = '${waiting.id}'`,
    [[signedTerms, /less 5 to 0x9{40}; signed was 7000 XCR less 5 to 0x/]],
  ],
  [
    'a message that was signed once, and works for two',
    ({ waiting, paid }) => [
      'alter table withdrawals drop constraint withdrawals_message_hash_unique',
      `update withdrawals set message_hash = (select message_hash from withdrawals where id = '${paid.id}') where id = '${waiting.id}'`,
    ],
    [
      [signedTerms, /^withdrawal .* has the mark of another message$/],
      [onceOnly, /^withdrawal signed as [0-9a-f]{64}: there are 2$/],
    ],
  ],
  [
    'a payout that was signed with a nonce of another',
    ({ open, sweepDay }) => [
      'alter table payouts drop constraint payouts_wallet_address_nonce_unique',
      `update payouts set nonce = (select nonce from payouts where cause = 'sweep:${sweepDay}') where withdrawal_id = '${open.id}'`,
    ],
    [
      [onceOnly, /^payout with the nonce 0x.* 2: there are 2$/],
      [withdrawals.payoutNonces, /^nonce 3 of .* is missing/],
    ],
  ],
]

test('nothing is found where nothing is wrong', async () => {
  expect(await world.find()).toEqual([])
})

test.for(damages)('the audit finds %s', async ([, statements, found]) => {
  const differences = await whileDamaged(world.database, statements(world), (em) => world.find(em))
  expectFound(differences, found)
})

test('every check has a damage that it finds', () => {
  expect(namesWithoutDamage([...payoutChecks, paidOnChain, noncesOnChain], damages)).toEqual([])
})

test('a chain that is not there is said, unless nothing was ever paid out', async () => {
  const { orm, services } = world
  const away = createPayoutChains({ ...services.config, XCR_RPC_URLS: ['http://127.0.0.1:9'] })
  await expect(auditPayouts(orm.em.fork(), away)).rejects.toThrow('the reward chain does not answer (127.0.0.1:9 did not answer)')
  await expect(auditPayouts(orm.em.fork(), undefined)).rejects.toThrow('no reward chain is configured')

  const never = 'truncate debts, withdrawals, payouts, payout_attempts, payout_wallets'
  expect(await whileDamaged(world.database, never, (em) => auditPayouts(em, undefined))).toEqual({ findings: [], unread: [] })
})

test('an endpoint that tells otherwise than the rows and the others is named, wherever it stands in the list', async () => {
  const { orm, services, chain, paid } = world
  const liar = await startFaultyRpc(chain.url)
  const lies = new URL(liar.url)
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
    expect(found.map(({ name }) => name)).toEqual([endpointsAlike])
    expect(found[0]!.differences).toContainEqual(
      expect.stringMatching(new RegExp(`^${lies.host} alone says: withdrawal:${paid.id} is completed, and `)),
    )
    liar.fail(() => 'drop')
    const alone = await auditPayouts(orm.em.fork(), createPayoutChains({ ...services.config, XCR_RPC_URLS }))
    expect(alone.unread).toEqual([`${lies.host} did not answer`])
    expect(alone.findings.flatMap(({ differences }) => differences)).toEqual([])
  }
})

test('the command compares with the chain, and says so where it cannot', async () => {
  const { database, chain, services } = world
  const env = {
    XCR_RPC_URLS: chain.url,
    XCR_TOKEN_ADDRESS: chain.token,
    XCR_CONFIRMATIONS: String(services.config.XCR_CONFIRMATIONS),
  }
  const [there, away] = await Promise.all([
    runAudit(database.url, env),
    runAudit(database.url, { ...env, XCR_RPC_URLS: 'http://127.0.0.1:9' }),
  ])
  expect(there.output).toContain(`ok         ${noncesOnChain}`)
  expect(there.output).toContain(`ok         ${paidOnChain}`)
  expect(away.output).toContain('NOT READ   Payouts were not compared with the reward chain: the reward chain does not answer')
})

test('what happens on the chain meanwhile: a payout that is final and not settled, one paid by hand from elsewhere, and a theft', async () => {
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
    { name: paidOnChain, difference: expect.stringMatching(/^1 XCR left 0x.* for 0x.* in 0x.*, and nothing of ours says why$/) },
    { name: noncesOnChain, difference: expect.stringMatching(/has sent 5 transactions, we know of 4$/) },
  ])
})
