import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { rewardEndpoints } from '../chain/rewardEndpoints.ts'
import { sql } from '../db/sql.ts'
import { houseAccounts } from '../ledger/houseAccounts.ts'
import { makeAccount } from '../testing/chains.ts'
import { mailsTo } from '../testing/mails.ts'
import { type Payouts, startPayouts } from '../testing/payouts.ts'
import { runAudit } from '../testing/runAudit.ts'
import { markWithdrawalPaid } from '../withdrawals/markWithdrawalPaid.ts'
import { readPayment } from '../withdrawals/readPayment.ts'
import { rejectWithdrawal } from '../withdrawals/rejectWithdrawal.ts'
import { auditBooks } from './auditBooks.ts'
import { auditWhenDue } from './auditDaily.ts'
import { auditPayouts } from './auditPayouts.ts'
import { createPayoutChain } from './createPayoutChain.ts'

/** A paid, a refunded, an open and a waiting withdrawal, and a paid sweep, of which nothing is wrong. */
async function setup() {
  const payouts = await startPayouts()
  const { orm, services, clock } = payouts
  const paid = await payouts.open({ amount: '3000', fee: '5' })
  const other = await payouts.open({ amount: '4000', fee: '5' })
  const refunded = await payouts.open({ amount: '5000', fee: '5' })
  await orm.em.fork().transactional((em) => rejectWithdrawal(em, services, { id: refunded.id, reason: 'test' }))
  await payouts.tick()
  await payouts.tick()
  await payouts.confirm()
  const collector = makeAccount()
  await payouts.collectFees(collector.address)
  await payouts.tick()
  await payouts.confirm()
  const open = await payouts.open({ amount: '6000', fee: '5' })
  await payouts.tick()
  await payouts.tick()
  const waiting = await payouts.open({ amount: '7000', fee: '5' })
  const sweepDay = clock.productNow().toISOString().slice(0, 10)
  const swept = (await payouts.payouts()).find(({ cause }) => cause === `sweep:${sweepDay}`)
  expect(swept).toMatchObject({ state: 'paid' })

  const chain = createPayoutChain(services.config)
  const differences = async () => {
    const findings = [...(await auditBooks(orm.em.fork())), ...(await auditPayouts(orm.em.fork(), chain))]
    return findings.flatMap((finding) => finding.differences)
  }
  expect(await differences()).toEqual([])
  return { ...payouts, payoutChain: chain, paid, other, refunded, open, waiting, sweepDay, differences }
}

type Given = Awaited<ReturnType<typeof setup>>

/** Does what the database refuses to everybody but its owner. */
async function damage({ orm }: Pick<Payouts, 'orm'>, statement: string) {
  await orm.em.fork().transactional(async (em) => {
    await sql(em, `set local session_replication_role = 'replica'`)
    await sql(em, statement)
  })
}

const { payouts: payoutsAccount } = houseAccounts

const damages: [what: string, statement: (given: Given) => string, found: RegExp[]][] = [
  [
    'a debit that is gone',
    ({ waiting }) => `delete from ledger_entries where cause = 'withdrawal:${waiting.id}'`,
    [/holds .* its entries say/, /holds .* its entries say/, /^withdrawal:.* of 7000 XCR has no entry$/],
  ],
  [
    'a debit of another amount, balances and all',
    ({ waiting }) => `with e as (update ledger_entries set amount = amount - 1 where cause = 'withdrawal:${waiting.id}'),
      u as (update accounts set balance = balance + 1 where id = '${waiting.user.id}')
      update accounts set balance = balance - 1 where id = '${payoutsAccount}'`,
    [/^withdrawal:.* is 7000 XCR, its entry 6999\.9{18} XCR$/, /^the account payouts holds .* withdrawals and sweeps say/],
  ],
  [
    'a fee that was never taken',
    ({ paid }) => `delete from ledger_entries where cause = 'fee:${paid.id}'`,
    [/its entries say/, /its entries say/, /^fee:.* of 5 XCR has no entry$/],
  ],
  [
    'a refund that was never given',
    ({ refunded }) => `delete from ledger_entries where cause = 'refund:${refunded.id}'`,
    [/its entries say/, /its entries say/, /^refund:.* of 5000 XCR has no entry$/],
  ],
  [
    'a withdrawal that is both refunded and on its way',
    ({ refunded }) => `update withdrawals set status = 'pending', refunded_at = null where id = '${refunded.id}'`,
    [/^the entry refund:.* of 5000 XCR stands for nothing$/, /^the account payouts holds/, /^withdrawals_counted of /],
  ],
  [
    'a withdrawal that is gone',
    ({ waiting }) => `delete from withdrawals where id = '${waiting.id}'`,
    [
      /^the entry withdrawal:.* of 7000 XCR stands for nothing$/,
      /^the account payouts holds/,
      /^withdrawals of /,
      /^withdrawals_counted of /,
    ],
  ],
  [
    'a sweep whose fees are still there',
    ({ sweepDay }) => `delete from ledger_entries where cause = 'sweep:${sweepDay}'`,
    [/its entries say/, /its entries say/, /^sweep:.* of 10 XCR has no entry$/],
  ],
  [
    'a sweep that failed and kept its fees',
    ({ sweepDay }) => `update payouts set state = 'reverted' where cause = 'sweep:${sweepDay}'`,
    [
      /^sweep-back:.* of 10 XCR has no entry$/,
      /^the account payouts holds/,
      /^the account fees holds/,
      /^10 XCR left .*, and nothing of ours says why$/,
    ],
  ],
  [
    'a withdrawal on its way without a payout',
    ({ waiting }) => `update withdrawals set status = 'processing' where id = '${waiting.id}'`,
    [/is processing and has no payout$/],
  ],
  [
    'a payout that is paid while its withdrawal waits for it',
    ({ open }) => `update payouts set state = 'paid', settled_at = now() where withdrawal_id = '${open.id}'`,
    [/is paid by another transaction than its withdrawal names$/],
  ],
  [
    'a payout to another wallet',
    ({ open }) => `update payouts set recipient = '0x${'9'.repeat(40)}' where withdrawal_id = '${open.id}'`,
    [/pays another wallet or amount than was asked for$/],
  ],
  [
    'a nonce with nothing signed',
    ({ open }) => `delete from payout_attempts where payout_id = (select id from payouts where withdrawal_id = '${open.id}')`,
    [/has a nonce and nothing signed$/],
  ],
  [
    'a nonce that is left out',
    () => 'update payouts set nonce = nonce + 1 where nonce = (select max(nonce) from payouts)',
    [/^nonce 3 of .* is missing/, /^nonce 4 of .* beyond the wallet's next$/],
  ],
  [
    'a wallet that has forgotten a nonce',
    () => 'update payout_wallets set next_nonce = 2',
    [/^nonce 2 of /, /^nonce 3 of /, /has sent 3 transactions, we know of 2$/],
  ],
  [
    'a completed withdrawal whose transaction is not on the chain',
    ({ paid }) => `with w as (update withdrawals set transaction_hash = '0x${'0'.repeat(64)}' where id = '${paid.id}')
      update payouts set final_hash = '0x${'0'.repeat(64)}' where withdrawal_id = '${paid.id}'`,
    [/^withdrawal:.* is completed, and 0x0{64} does not transfer 2995 XCR/, /^2995 XCR left .* and nothing of ours says why$/],
  ],
  [
    "a completed withdrawal that names another's transfer",
    ({ paid, other }) => `with t as (select transaction_hash as hash from withdrawals where id = '${other.id}'),
      p as (update payouts set final_hash = hash from t where withdrawal_id = '${paid.id}')
      update withdrawals set transaction_hash = hash, transfer_ordinal = 1 from t where id = '${paid.id}'`,
    [/^withdrawal:.* is completed, and .* does not transfer 2995 XCR/, /^2995 XCR left /],
  ],
]

test.for(damages)('the audit finds %s', async ([, statement, found]) => {
  const given = await setup()
  await damage(given, statement(given))

  const differences = await given.differences()
  for (const pattern of found) expect(differences, differences.join('\n')).toContainEqual(expect.stringMatching(pattern))
  expect(differences, differences.join('\n')).toHaveLength(found.length)
})

test('a transfer that we did not make is found, once it is final', async () => {
  const { chain, privateKey, differences, confirmations } = await setup()
  await chain.mine(1)
  expect(await differences()).toEqual([])

  const thief = makeAccount().address
  await chain.transfer({ from: privateKeyToAccount(privateKey), to: thief, amount: parseAmount('1')! })
  await chain.mine(confirmations)
  expect(await differences()).toEqual([
    expect.stringMatching(/^1 XCR left 0x.* for 0x.* in 0x.*, and nothing of ours says why$/),
    expect.stringMatching(/has sent 5 transactions, we know of 4$/),
  ])
})

test('a payout that is final and not settled yet is no difference', async () => {
  const { chain, confirmations, differences } = await setup()
  await chain.mine(confirmations + 1)
  expect(await differences()).toEqual([])
})

test('one that was paid by hand, from any wallet, is compared with its transfer', async () => {
  const { orm, services, chain, confirmations, waiting, differences } = await setup()
  const helper = makeAccount()
  await chain.mint(helper.address, parseAmount('10000')!)
  await chain.mine(2)
  const hash = await chain.transfer({ from: helper, to: waiting.toAddress, amount: parseAmount('6995')! })
  await chain.mine(confirmations)
  const payment = await readPayment(rewardEndpoints(services.config), { config: services.config, transactionHash: hash })
  const late = { ...payment, blockTime: new Date(waiting.requestedAt.getTime() + 1) }
  await orm.em.fork().transactional((em) => markWithdrawalPaid(em, services, { id: waiting.id, payment: late }))
  expect(await differences()).toEqual([])

  await damage({ orm }, `update withdrawals set transfer_ordinal = 1 where id = '${waiting.id}'`)
  expect(await differences()).toEqual([expect.stringMatching(/does not transfer 6995 XCR/)])
})

test('the command compares with the chain, and exits 2 where it cannot', async () => {
  const { database, orm, chain, services } = await setup()
  const env = {
    XCR_RPC_URLS: chain.url,
    XCR_TOKEN_ADDRESS: chain.token,
    XCR_CONFIRMATIONS: String(services.config.XCR_CONFIRMATIONS),
  }
  const { code, output } = await runAudit(database.url, env)
  expect(output).toContain('ok         The reward chain knows no transaction of a payout wallet that we do not')
  expect(code).toBe(0)

  const away = await runAudit(database.url, { ...env, XCR_RPC_URLS: 'http://127.0.0.1:9' })
  expect(away.output).toContain('NOT READ   Payouts were not compared with the reward chain: the reward chain does not answer')
  expect(away.code).toBe(2)

  await damage({ orm }, 'update supply set paid = paid + 1')
  expect((await runAudit(database.url, { ...env, XCR_RPC_URLS: 'http://127.0.0.1:9' })).code).toBe(1)
})

test('a chain that is not there is said, unless nothing was ever paid out', async () => {
  const { orm, services } = await setup()
  const away = createPayoutChain({ ...services.config, XCR_RPC_URLS: ['http://127.0.0.1:9'] })
  await expect(auditPayouts(orm.em.fork(), away)).rejects.toThrow('the reward chain does not answer (127.0.0.1:9 did not answer)')
  await expect(auditPayouts(orm.em.fork(), undefined)).rejects.toThrow('no reward chain is configured')

  await damage({ orm }, `truncate withdrawals, payouts, payout_attempts, payout_wallets`)
  expect(await auditPayouts(orm.em.fork(), undefined)).toEqual([])
})

test('once a day one worker audits, and what it finds is kept and mailed to the operator', async () => {
  const { orm, services, database } = await setup()
  const outcomes = () =>
    sql<{ unchecked: string[]; differences: string[] }>(
      orm.em.fork(),
      'select unchecked, differences from audit_runs order by at',
    )
  await Promise.all([auditWhenDue(services), auditWhenDue(services), auditWhenDue(services)])
  await auditWhenDue(services)
  expect(await outcomes()).toEqual([{ unchecked: [], differences: [] }])
  expect(await sql(orm.em.fork(), 'select from audit_entries'), 'it is no deed of a person').toEqual([])

  await sql(orm.em.fork(), `update audit_runs set at = at - interval '1 day'`)
  await damage({ orm }, 'update supply set paid = paid + 1')
  await expect(auditWhenDue(services)).rejects.toThrow('ALERT: the daily audit has found 1 differences: supply says')
  expect(await outcomes()).toEqual([
    { unchecked: [], differences: [] },
    { unchecked: [], differences: [expect.stringContaining('supply says')] },
  ])
  const [mail] = await mailsTo(database, services.config.SUPPORT_EMAIL)
  expect(mail!.text).toContain('supply says')
})
