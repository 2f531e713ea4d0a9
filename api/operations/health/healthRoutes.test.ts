import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/office.ts'
import type { HealthCheck } from '#shared/contract/admin/office.ts'
import { savePushSubscription } from '#shared/contract/push.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'
import type { Config, Environment } from '#api/platform/config.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { lead, wait } from '#api/platform/db/lead.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { DepositWatcher } from '#api/sale/deposits/DepositWatcher.ts'
import type { LeaderRole } from '#api/platform/db/leaderRoles.ts'
import { createSweepRecord } from '#api/platform/jobs/createSweepRecord.ts'
import { sweeps } from '#api/app/schedule.ts'
import { queueMail } from '#api/platform/mail/queueMail.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount, startPaymentChain, USDT_ADDRESS, usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { forgetLog, publishExample } from '#api/testing/publishExample.ts'
import { startServer } from '#api/testing/server.ts'
import { PUSH_ON, REGISTER_ON } from '#api/testing/testConfig.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const database = useDatabase()
const paymentChain = usePaymentChain()
const rewardChain = useRewardChain()

const run = (text: string, parameters: readonly unknown[] = []) => sql(database.orm.em.fork(), text, parameters)

beforeEach(async () => {
  for (const table of [
    'chain_blocks',
    'audit_runs',
    'sweep_runs',
    'outgoing_mails',
    'push_subscriptions',
    'deposits',
    'change_events',
    'payout_wallets',
    'nodes',
    'reward_runs',
  ])
    await run(`delete from ${table}`)
  await run(`delete from pgboss.job`)
  await run('update pgboss.queue set failed_count = 0')
  await run(`delete from withdrawals`)
})

interface Given {
  env?: Environment
  /** Roles without a leader. */
  leaderless?: LeaderRole[]
  xcr?: string
  coins?: string
}

/** A product whose checks all pass, except for the given overrides. */
async function setup({ env = {}, leaderless = [], xcr = '5000', coins = '10' }: Given = {}) {
  const privateKey = generatePrivateKey()
  const { address } = privateKeyToAccount(privateKey)
  await rewardChain.client.setBalance({ address, value: parseEther(coins) })
  if (xcr !== '0') await rewardChain.mint(address, parseAmount(xcr)!)
  await Promise.all([paymentChain.mineAt(later(await paymentChain.client.getBlock())), rewardChain.mine()])

  const server = await startServer(database, {
    env: {
      BSC_RPC_URLS: paymentChain.url,
      USDT_ADDRESS,
      DEPOSIT_ADDRESS: makeAccount().address,
      XCR_RPC_URLS: rewardChain.url,
      XCR_TOKEN_ADDRESS: rewardChain.token,
      PAYOUT_PRIVATE_KEY: privateKey,
      ...env,
    },
  })
  const { services, clock } = server
  const { browser } = await openAdministrator(server)

  for (const role of (['watcher', 'payouts'] as const).filter((role) => !leaderless.includes(role))) await leadAs(role)
  const [{ epoch }] = (await run(`select epoch from leaderships where role = 'watcher'`)) as [{ epoch: number }]
  const watch = () =>
    new DepositWatcher({
      services,
      endpoints: paymentEndpoints({ BSC_RPC_URLS: [paymentChain.url], USDT_ADDRESS }),
      term: { role: 'watcher', epoch },
      onAlert: () => {},
    }).catchUp()
  await watch()
  for (const sweep of sweeps) await createSweepRecord(services, sweep)()
  await run(`insert into audit_runs (id, at, unchecked, differences) values ($1, $2, '[]', '[]')`, [newId(), clock.now()])

  const checks = async () => (await browser.call(contract.getHealth, {})).checks
  const red = async () => (await checks()).filter(({ ok }) => !ok)
  return {
    ...server,
    server,
    address: address.toLowerCase(),
    checks,
    /** The names and values of the failed checks. */
    red,
    /** The only failed check. */
    async onlyRed(): Promise<HealthCheck> {
      const found = await red()
      expect(found.map(({ name }) => name)).toHaveLength(1)
      expect(found[0]!.advice).toEqual(expect.stringMatching(/\.$/))
      return found[0]!
    },
    watch,
  }

  async function leadAs(role: LeaderRole) {
    await new Promise<void>((resolve) => {
      const leading = lead(
        database.url,
        role,
        async ({ signal }) => {
          resolve()
          await wait(DAY, signal)
        },
        () => {},
      )
      onTestFinished(() => leading.stop())
    })
  }
}

/** Blocks mined in quick succession have timestamps ahead of the present; this adds one that is not behind it. */
const later = ({ timestamp }: { timestamp: bigint }) => new Date(Math.max(Date.now(), Number(timestamp) * SECOND + SECOND))

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE)

test('if all checks pass, all are green and without advice', async () => {
  const { checks } = await setup()
  const all = await checks()

  expect(all.filter(({ ok, advice }) => !ok || advice !== null)).toEqual([])
  expect(all.map(({ name }) => name.replace(/127\.0\.0\.1:\d+/, 'host'))).toEqual([
    'Ledger audit',
    'Unmatched deposits',
    'Withdrawals in review',
    'Deposit watcher',
    'Payment verification',
    'Payment chain, endpoint 1 (host)',
    'Reward chain, endpoint 1 (host)',
    'Payouts',
    'Payout caps',
    'Payout wallet, XCR',
    'Payout wallet, XP for fees',
    'Leader: watcher',
    'Leader: payouts',
    'Leader: notifier',
    'Daily rewards',
    'Mail',
    'Queue send-mail',
    'Queue send-push',
    'Queue sign-receipts',
    ...sweeps.map(({ name }) => `Task ${name}`),
  ])
})

describe('chains', () => {
  const findTrust = async (checks: () => Promise<HealthCheck[]>) =>
    (await checks()).find(({ name }) => name === 'Payment verification')!

  test('payments accepted on the word of one host are reported', async () => {
    const { checks } = await setup({ env: { BSC_RPC_URLS: `${paymentChain.url},${paymentChain.url}/another-key` } })
    expect(await findTrust(checks)).toMatchObject({
      ok: true,
      value: `payments are accepted from a single endpoint (${new URL(paymentChain.url).host})`,
    })
  })

  test('while two hosts are required and one answers, trust is red', async () => {
    const second = await startFaultyRpc(paymentChain.url)
    const { checks } = await setup({ env: { BSC_RPC_URLS: `${paymentChain.url},${second.url}` } })
    expect(await findTrust(checks)).toMatchObject({
      ok: true,
      value: 'payments are accepted when two of 2 hosts agree; 2 answer',
    })
    second.fail(() => 'drop')
    expect(await findTrust(checks)).toMatchObject({
      ok: false,
      value: 'payments are accepted when two of 2 hosts agree; 1 answer',
      advice: expect.stringContaining('Payments wait until two hosts answer'),
    })
  })

  test('an unavailable endpoint is red, and the others are green', async () => {
    const third = await startFaultyRpc(paymentChain.url)
    const { onlyRed } = await setup({
      env: { BSC_RPC_URLS: `${paymentChain.url},http://127.0.0.1:9/secret-key,${third.url}` },
    })
    const { name, value } = await onlyRed()
    expect([name, value]).toEqual(['Payment chain, endpoint 2 (127.0.0.1:9)', '127.0.0.1:9 did not answer'])
  })

  test('an endpoint that never answers does not delay the checks', async () => {
    const silent = createServer(() => {})
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => {
      silent.close()
      silent.closeAllConnections()
    })
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const { onlyRed } = await setup({ env: { XCR_RPC_URLS: `${rewardChain.url},${url}` } })
    const { name, value } = await onlyRed()
    expect(name).toMatch(/^Reward chain, endpoint 2/)
    expect(value).toBe('does not answer within 2 seconds')
  })

  test('with both chains away all other checks still run', async () => {
    const { red } = await setup({ env: { BSC_RPC_URLS: 'http://127.0.0.1:9', XCR_RPC_URLS: 'http://127.0.0.1:9' } })
    const found = await red()
    expect(found[0]!.advice, 'no other endpoint is used').toMatch(/^No endpoint of this chain answers\./)
    expect(found.map(({ name }) => name)).toEqual([
      'Payment chain, endpoint 1 (127.0.0.1:9)',
      'Reward chain, endpoint 1 (127.0.0.1:9)',
      'Payout wallet, XCR',
      'Payout wallet, XP for fees',
    ])
  })

  test('an endpoint of another chain is red', async () => {
    const { red } = await setup({ env: { BSC_RPC_URLS: `${paymentChain.url},${rewardChain.url}` } })
    const [trust, other] = await red()
    expect(trust!.name).toBe('Payment verification')
    expect(other!.value).toMatch(/is chain 20250217, not 56\.$/)
  })

  test('an endpoint behind the best one is red', async () => {
    const ahead = await startPaymentChain()
    onTestFinished(() => ahead.release())
    const head = Number((await paymentChain.client.getBlock()).number)
    await ahead.mine(head + 30)
    await ahead.mineAt(later(await ahead.client.getBlock()))
    const { red } = await setup({ env: { BSC_RPC_URLS: `${paymentChain.url},${ahead.url}` } })
    expect(await red()).toEqual([
      expect.objectContaining({
        name: expect.stringMatching(/^Payment chain, endpoint 1/),
        value: expect.stringMatching(/^block \d+, .* old, \d\d behind the best, 0 ahead of the watcher$/),
      }),
    ])
  })

  test('an endpoint with old blocks is red, and so is the watcher', async () => {
    const { red, clock } = await setup()
    clock.advance(11 * MINUTE)
    const names = (await red()).map(({ name }) => name)
    expect(names).toContain('Deposit watcher')
    expect(names).toContainEqual(expect.stringMatching(/^Payment chain, endpoint 1/))
  })

  test('a watcher that is behind is red, and each endpoint shows its lead', async () => {
    const { onlyRed, checks, watch } = await setup()
    await paymentChain.mine(101)
    const { name, value } = await onlyRed()
    expect(name).toBe('Deposit watcher')
    expect(value).toMatch(/^read up to block \d+ of \d+, which is .* old$/)
    expect((await checks()).find(({ name }) => name.startsWith('Payment chain'))!.value).toMatch(/, 101 ahead of the watcher$/)

    await watch()
    expect((await checks()).find(({ name }) => name === 'Deposit watcher')!.ok).toBe(true)
  })

  test('a watcher that has read nothing is red', async () => {
    const { onlyRed } = await setup()
    await run('delete from chain_blocks')
    expect(await onlyRed()).toMatchObject({ name: 'Deposit watcher', value: 'nothing read yet' })
  })
})

describe('payouts', () => {
  test('stopped payouts are red, with the reason', async () => {
    const { onlyRed, address } = await setup()
    await run(`insert into payout_wallets (address, next_nonce, stopped_because) values ($1, 0, 'the key is used elsewhere')`, [
      address,
    ])
    expect(await onlyRed()).toMatchObject({ name: 'Payouts', value: 'stopped: the key is used elsewhere' })
  })

  test('without caps the card says so', async () => {
    const { checks } = await setup()
    expect((await checks()).find(({ name }) => name === 'Payout caps')!.value).toBe('none: any amount can be paid within an hour')
  })

  test('payouts that wait for a cap are red', async () => {
    const { red, address } = await setup({ env: { PAYOUT_CAP_HOUR: '6000', PAYOUT_CAP_DAY: '120000.5' } })
    await run(`insert into payout_wallets (address, next_nonce, capped_since) values ($1, 0, now())`, [address])
    expect((await red()).map(({ name, value }) => [name, value])).toEqual([
      ['Payout cap per hour', '0 of 6,000 XCR in the last hour'],
      ['Payout cap per day', '0 of 120,000.5 XCR in the last day'],
    ])
  })

  test('a cap of the panel is named as one', async () => {
    const { checks } = await setup({ env: { PAYOUT_CAP_HOUR: '6000' } })
    await run('update installation set payout_cap_hour = 5000 * 1e18, payout_cap_day = 70000 * 1e18')
    const caps = (await checks()).filter(({ name }) => name.startsWith('Payout cap'))
    expect(caps.map(({ value }) => value)).toEqual([
      '0 of 5,000 XCR in the last hour, set in the panel',
      '0 of 70,000 XCR in the last day, set in the panel',
    ])
    await run('update installation set payout_cap_hour = null, payout_cap_day = null')
  })

  test('a cap of 0 is red before any withdrawal waits for it', async () => {
    const { onlyRed } = await setup({ env: { PAYOUT_CAP_HOUR: '0' } })
    expect(await onlyRed()).toMatchObject({
      name: 'Payout cap per hour',
      value: '0 of 0 XCR in the last hour',
      advice: expect.stringContaining('stops all payouts'),
    })
  })

  test('a wallet that cannot pay the open withdrawals is red, with its address', async () => {
    const { onlyRed, services, address } = await setup({ xcr: '5000' })
    await insertWithdrawal(services.orm, { amount: '5006' })
    const { name, value, advice } = await onlyRed()
    expect([name, value]).toEqual(['Payout wallet, XCR', '5,000 XCR; 5,001 XCR is requested'])
    expect(advice).toContain(address)
  })

  test('an empty wallet is red before any withdrawal', async () => {
    expect(await (await setup({ xcr: '0' })).onlyRed()).toMatchObject({ name: 'Payout wallet, XCR' })
  })

  test('a wallet without enough for fees is red', async () => {
    expect(await (await setup({ coins: '0.9' })).onlyRed()).toMatchObject({
      name: 'Payout wallet, XP for fees',
      value: '0.9 XP',
    })
  })

  test('one endpoint of several is enough to read the wallet’s balance', async () => {
    const { red } = await setup({ env: { XCR_RPC_URLS: `http://127.0.0.1:9,${rewardChain.url}` } })
    expect((await red()).map(({ name }) => name)).toEqual(['Reward chain, endpoint 1 (127.0.0.1:9)'])
  })

  test('an endpoint without the token counts as unavailable', async () => {
    const faulty = await startFaultyRpc(rewardChain.url)
    faulty.fail(({ method, params }) =>
      method === 'eth_call' && !JSON.stringify(params).includes('0x313ce567')
        ? { error: { code: 3, message: 'reverted' } }
        : undefined,
    )
    const { red } = await setup({ env: { XCR_RPC_URLS: faulty.url } })
    expect((await red()).map(({ name }) => name)).toEqual(['Payout wallet, XCR', 'Payout wallet, XP for fees'])
  })
})

describe('leaders', () => {
  test.each(['watcher', 'payouts'] as const)('a role without a leader is red: %s', async (role) => {
    const { onlyRed } = await setup({ leaderless: [role] })
    expect(await onlyRed()).toMatchObject({ name: `Leader: ${role}`, value: 'no leader' })
  })

  test('a backlog of unpublished changes is red', async () => {
    const { onlyRed } = await setup()
    await run(`insert into change_events (keys) select '{a}' from generate_series(1, 1001)`)
    expect(await onlyRed()).toMatchObject({
      name: 'Leader: notifier',
      value: 'more than 1000 changes waiting to reach open pages',
    })
  })
})

describe('work', () => {
  test('an overdue task is red', async () => {
    const { onlyRed } = await setup()
    await run(`update sweep_runs set finished_at = $1 where name = 'pay-rewards'`, [minutesAgo(11)])
    await run(`update sweep_runs set finished_at = $1 where name = 'tidy-up'`, [minutesAgo(170)])
    expect(await onlyRed()).toMatchObject({
      name: 'Task pay-rewards',
      value: expect.stringMatching(/^completed 1\d minutes ago$/),
    })
  })

  test('a task that has failed since its last run is red, with the reason', async () => {
    const { onlyRed, red, services, clock } = await setup()
    const record = createSweepRecord(services, { name: 'pay-rewards' })
    clock.advance(1)
    await record({ error: new Error('the disk is full') })
    expect(await onlyRed()).toMatchObject({
      name: 'Task pay-rewards',
      value: expect.stringContaining(': Error: the disk is full'),
    })

    clock.advance(1)
    await record()
    expect(await red()).toEqual([])
  })

  test('a task that has never run is red', async () => {
    const { onlyRed } = await setup()
    await run(`delete from sweep_runs where name = 'audit-daily'`)
    expect(await onlyRed()).toMatchObject({ name: 'Task audit-daily', value: 'never completed' })
  })

  const mail = { to: 'somebody@example.com', subject: 'Hello', text: 'Hello', html: 'Hello' }
  const writeMail = ({ services }: Pick<Awaited<ReturnType<typeof setup>>, 'services'>) =>
    services.orm.em.fork().transactional((em) => queueMail(em, services.jobs, mail))

  test('queued mail is green at first and red after a while', async () => {
    const office = await setup()
    await writeMail(office)
    expect(await office.red()).toEqual([])
    await run('delete from pgboss.job')
    await run(`update outgoing_mails set created_at = $1, last_error = 'no route to host'`, [minutesAgo(12)])
    expect(await office.onlyRed()).toMatchObject({
      name: 'Mail',
      value: expect.stringMatching(/^1 not sent, oldest waiting 1\d minutes: no route to host$/),
    })
    // Only its recipient is refused.
    await run(`update outgoing_mails set attempts_end_at = $1`, [minutesAgo(2)])
    expect(await office.red()).toEqual([])
  })

  test('push messages that wait for hours are red, unless it is those of a single device', async () => {
    const office = await setup({ env: PUSH_ON })
    for (const name of ['1', '2']) {
      const buyer = await makeBuyer(office.server)
      const { publicKey } = office.services.config.push!
      const body = { endpoint: `https://fcm.googleapis.com/${name}`, p256dh: publicKey, auth: 'A'.repeat(22) }
      await buyer.browser.call(savePushSubscription, { body })
      const message = { to: buyer.user, topic: 'nodes', link: null, subject: '1 bonus node is yours', paragraphs: [] } as const
      await office.services.orm.em.fork().transactional((em) => notifyOwner(em, office.services, message))
      await run('delete from pgboss.job')
      await run('delete from outgoing_mails')
      expect(await office.red()).toEqual([])
      await run('update outgoing_pushes set created_at = $1', [minutesAgo(121)])
      if (name === '1') expect(await office.red()).toEqual([])
    }
    expect(await office.onlyRed()).toMatchObject({ name: 'Push messages', value: '2 not sent, oldest waiting 2 hours' })
  })

  test('a queue with a stuck job is red', async () => {
    const office = await setup()
    await writeMail(office)
    await run(`update pgboss.job set created_on = $1`, [minutesAgo(12)])
    expect(await office.onlyRed()).toMatchObject({
      name: 'Queue send-mail',
      value: expect.stringMatching(/^1 waiting, oldest waiting 1\d minutes, 0 retried, 0 failed permanently today$/),
    })
  })

  test('a queue with a failed job is red', async () => {
    const { onlyRed } = await setup()
    await run(`update pgboss.queue set failed_count = 2 where name = 'send-mail'`)
    expect(await onlyRed()).toMatchObject({ name: 'Queue send-mail', value: '0 waiting, 0 retried, 2 failed permanently today' })
  })

  test('an unpaid due day is red after a while', async () => {
    const { onlyRed, red, clock } = await setup()
    const productTime = (time: string) => clock.advanceProduct(Date.parse(time) - clock.productNow().getTime())
    productTime('2039-01-03T09:05:00Z')
    await run(
      `insert into reward_runs (day, rate, closed_at, paid_at) values ('2039-01-01', 1, now(), now()), ('2039-01-02', 1, now(), now())`,
    )
    expect(await red()).toEqual([])
    productTime('2039-01-03T09:15:00Z')
    expect(await onlyRed()).toMatchObject({
      name: 'Daily rewards',
      value: 'paid up to 2039-01-02, 2039-01-03 overdue by 15 minutes',
    })
    await run(`insert into reward_runs (day, rate, closed_at, paid_at) values ('2039-01-03', 1, now(), null)`)
    expect((await onlyRed()).value).toBe('paid up to 2039-01-02, 2039-01-03 overdue by 15 minutes')
    await run('update reward_runs set paid_at = now()')
    expect(await red()).toEqual([])
  })
})

describe('money', () => {
  const addDeposit = (amount: string, seenAt: Date, state = 'review') => {
    const id = newId()
    return run(
      `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, review_reason, first_seen_at)
       values ($1, 56, $2, 0, '0x0', '0x0', $3, $4, 'unmatched', $5)`,
      [id, `0x${id}`, parseAmount(amount), state, seenAt],
    )
  }

  test('unmatched deposits are summed, and red after a while', async () => {
    const { checks, onlyRed } = await setup()
    await addDeposit('7.5', minutesAgo(5))
    await addDeposit('3', minutesAgo(60))
    await addDeposit('100', minutesAgo(60), 'matched')
    expect((await checks()).find(({ name }) => name === 'Unmatched deposits')).toEqual({
      name: 'Unmatched deposits',
      ok: true,
      value: expect.stringMatching(/^2: 10\.5 USDT in total, oldest waiting (59|60) minutes$/),
      waits: true,
      advice: expect.stringContaining('resolve them under Review'),
    })
    await run('update deposits set first_seen_at = $1', [new Date(Date.now() - 3 * DAY)])
    expect((await checks()).find(({ name }) => name === 'Unmatched deposits')).toMatchObject({ ok: true })
    // A week has five business days, wherever it begins.
    await run('update deposits set first_seen_at = $1', [new Date(Date.now() - 7 * DAY)])
    expect(await onlyRed()).toMatchObject({ name: 'Unmatched deposits' })
  })

  test('withdrawals in review wait for a person although no check fails; those on hold do not', async () => {
    const { checks, red } = await setup()
    const heldUntil = new Date(Date.now() + DAY)
    await insertWithdrawal(database.orm, { reviewReason: 'recent_change', heldUntil })
    const find = async () => (await checks()).find(({ name }) => name === 'Withdrawals in review')
    expect(await find()).toEqual({ name: 'Withdrawals in review', ok: true, value: 'none', advice: null })

    await insertWithdrawal(database.orm, { reviewReason: 'above_limit', amount: '3000', now: minutesAgo(60) })
    expect(await find()).toEqual({
      name: 'Withdrawals in review',
      ok: true,
      waits: true,
      value: expect.stringMatching(/^1: 3,000 XCR in total, oldest waiting (59|60) minutes$/),
      advice: 'Open Withdrawals and approve or reject them. Nothing is paid until then.',
    })
    expect(await red()).toEqual([])
  })

  test('an audit with findings is red and shows the first one', async () => {
    const { onlyRed, clock } = await setup()
    await run(`insert into audit_runs (id, at, unchecked, differences) values ($1, $2, '[]', '["supply says 3", "and more"]')`, [
      newId(),
      new Date(clock.now().getTime() + 1),
    ])
    expect(await onlyRed()).toMatchObject({
      name: 'Ledger audit',
      value: '2 differences, 0 seconds ago: supply says 3',
    })
  })

  test('an incomplete audit is red', async () => {
    const { onlyRed } = await setup()
    await run(`update audit_runs set unchecked = '["the chain was away"]'`)
    expect((await onlyRed()).value).toBe('some parts could not be checked, 0 seconds ago: the chain was away')
  })

  test('an old or missing audit is red', async () => {
    const { onlyRed, clock } = await setup()
    await run('update audit_runs set at = $1', [new Date(clock.now().getTime() - 27 * HOUR)])
    expect((await onlyRed()).value).toBe('everything agreed, 27 hours ago; old blocks and archived rows were not read')
    await run(`insert into audit_runs (id, at, unchecked, differences, is_full) values ($1, $2, '[]', '[]', true)`, [
      newId(),
      new Date(clock.now().getTime() - 90 * DAY),
    ])
    expect((await onlyRed()).value).toBe('everything agreed, 27 hours ago; with old blocks and archived rows 90 days ago')
    await run('delete from audit_runs')
    expect((await onlyRed()).value).toBe('not run yet')
  })
})

describe('the public register', () => {
  const on = {
    ...REGISTER_ON,
    REGISTER_ANCHOR_ADDRESS: '0x0000000000000000000000000000000000000a07',
    ANCHOR_PRIVATE_KEY: '66'.repeat(32),
  }
  /** As if the example's log had begun with this configuration. */
  const nameInGenesis = ({ register, USDT_ADDRESS: usdt, XCR_TOKEN_ADDRESS: xcr }: Config) =>
    database.superuser.em.fork().transactional(async (em) => {
      await sql(em, 'set local session_replication_role = replica')
      await sql(
        em,
        `update register_entries set text = regexp_replace(regexp_replace(regexp_replace(text,
           'origin \\S+', 'origin ' || $1), '(payment 56 )\\S+', '\\1' || $2), '(reward \\d+ )\\S+', '\\1' || $3)
         where kind = 'genesis'`,
        [register!.origin, usdt.toLowerCase(), xcr.toLowerCase()],
      )
    })
  const setState = (changes: string) => sql(database.superuser.em.fork(), `update register_state set ${changes}`)

  test('without one there is no check', async () => {
    const { checks } = await setup()
    expect((await checks()).filter(({ name }) => /^(Public register|Register anchor)$/.test(name))).toEqual([])
  })

  test('it shows what is published and anchored', async () => {
    const { checks, clock, server } = await setup({ env: on })
    const shown = async () =>
      (await checks()).flatMap(({ name, ok, value }) => (/^(Public|Register)/.test(name) ? [[name, ok, value]] : []))
    expect(await shown()).toEqual([
      ['Public register', true, 'nothing published yet'],
      ['Register anchor', true, 'not anchored yet'],
    ])
    await publishExample(database.orm)
    expect(await shown()).toContainEqual([
      'Public register',
      false,
      `The public register names nodes.example.com/register, and PUBLIC_URL says ${server.services.config.register!.origin}: every visitor's check of it fails.`,
    ])
    await nameInGenesis(server.services.config)
    await run(`insert into register_anchors (contract, index, size, root, time) values ('0x1', 0, 1, '', $1)`, [
      new Date(clock.now().getTime() - 3 * HOUR),
    ])
    expect(await shown()).toEqual([
      ['Public register', true, 'published up to 2026-11-26, 47 entries'],
      ['Register anchor', true, 'anchored 3 hours ago'],
    ])
    await forgetLog(database.superuser)
  })

  test('a stop, a false equation, a late day and a missing anchor are red', async () => {
    const { onlyRed, clock } = await setup({ env: on })
    await setState(`stopped_because = 'a foreign root'`)
    expect(await onlyRed()).toMatchObject({ name: 'Public register', value: 'stopped: a foreign root' })
    await setState(`stopped_because = null, held_equation = 'E5'`)
    expect(await onlyRed()).toMatchObject({ value: 'nothing published yet; equation E5 is false' })
    await setState(`held_equation = null, unanchored_because = 'No coins.'`)
    expect(await onlyRed()).toMatchObject({ name: 'Register anchor', value: 'not anchored: No coins.' })
    await setState(`unanchored_because = null`)
    const paidAt = new Date(clock.now().getTime() - 2 * HOUR)
    await run(`insert into reward_runs (day, rate, closed_at, paid_at) values (current_date, 1, $1, $1)`, [paidAt])
    expect((await onlyRed()).value).toMatch(/^nothing published yet; \d{4}-\d\d-\d\d is unpublished for 2 hours$/)
  })
})
