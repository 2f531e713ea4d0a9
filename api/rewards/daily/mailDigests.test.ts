import { expect, onTestFinished, test } from 'vitest'
import { sql } from '#api/platform/db/sql.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import { startHolders } from '#api/testing/holders.ts'
import { testConfig } from '#api/testing/testConfig.ts'
import { mailDueDigests } from './mailDigests.ts'

interface Mailed {
  to: string
  subject: string
  text: string
}

/** Holders, some of whom subscribe to the digest, and a worker that mails it on demand. */
async function setup() {
  const holders = await startHolders()
  const { orm, clock, database } = holders
  const newWorker = () => {
    const jobs = new JobQueue(database.url, { onError: () => {} })
    onTestFinished(() => jobs.stop())
    return { orm, clock, jobs, config: testConfig({ DATABASE_URL: database.url, PUBLIC_URL: 'https://nodes.example.com' }) }
  }
  const worker = newWorker()
  const run = <Row>(statement: string, parameters: unknown[] = []) => sql<Row>(orm.em.fork(), statement, parameters)
  return {
    ...holders,
    worker,
    newWorker,
    run,
    openReader: async (nodes = 1) => {
      const id = await holders.openHolder({ nodes })
      await run('update users set wants_reward_digest = true where id = $1', [id])
      return id
    },
    digest: () => mailDueDigests(worker),
    mails: () => run<Mailed>('select recipient as to, subject, text from outgoing_mails order by created_at, recipient'),
    countJobs: async () =>
      (await run<{ count: number }>(`select count(*)::int from pgboss.job where name = 'send-mail'`))[0]!.count,
  }
}

test('users without a subscription get no mail', async () => {
  const { at, openHolder, pay, digest, mails } = await setup()
  at('2027-03-01T12:00:00Z')
  await openHolder()
  at('2027-03-02T09:00:00Z')
  await pay()
  await digest()
  expect(await mails()).toEqual([])
})

test('a subscriber gets one mail a day with the earnings and the balance', async () => {
  const { at, run, openReader, setRate, pay, digest, mails, countJobs } = await setup()
  at('2027-03-01T12:00:00Z')
  const reader = await openReader(3)
  await setRate('400.000000000000000001')
  at('2027-03-02T09:00:00Z')
  await digest()
  expect(await mails()).toEqual([])
  await pay()
  await digest()
  await digest()

  expect(await mails()).toHaveLength(1)
  const [{ to, subject, text }] = (await mails()) as [Mailed]
  expect(to).toBe(`${reader}@example.com`)
  expect(subject).toBe('Your nodes earned 1,200.000000000000000003 XCR')
  expect(text).toContain('Date: 02 Mar 2027')
  expect(text).toContain('3 nodes × 400.000000000000000001 XCR = 1,200.000000000000000003 XCR')
  expect(text).toContain('Balance now: 1,200.000000000000000003 XCR')
  expect(text).toContain('https://nodes.example.com/history')
  expect(await countJobs()).toBe(1)
  expect(await run('select day::text from reward_runs where digested_at is null')).toEqual([])

  at('2027-03-03T09:00:00Z')
  await pay()
  await digest()
  const all = await mails()
  expect(all).toHaveLength(2)
  expect(all[1]!.text).toContain('Balance now: 2,400.000000000000000006 XCR')
})

test('the mails of one batch are each in the recipient’s language', async () => {
  const { at, run, openReader, setRate, pay, digest, mails } = await setup()
  at('2027-03-01T12:00:00Z')
  const [korean, english] = [await openReader(1_200), await openReader(1)]
  await run(`update users set language = 'ko' where id = $1`, [korean])
  await setRate('400')
  at('2027-03-02T09:00:00Z')
  await pay()
  await digest()

  const mailOf = async (id: string) => (await mails()).find(({ to }) => to === `${id}@example.com`)
  expect(await mailOf(korean)).toMatchObject({
    subject: '노드 보상 안내: 480,000 XCR',
    text: `2027년 3월 2일 09:00 UTC에 지급된 노드 보상입니다:

480,000 XCR

전체 내역은 다음 페이지에서 확인하실 수 있습니다: https://nodes.example.com/history

신청하신 분께 보내 드리는 메일입니다. 같은 페이지에서 수신을 중지하실 수 있습니다.

날짜: 2027년 3월 2일
계산: 노드 1,200개 × 400 XCR = 480,000 XCR
현재 잔액: 480,000 XCR

XCR Nodes
문의: support@example.com`,
  })
  expect(await mailOf(english)).toMatchObject({
    subject: 'Your nodes earned 400 XCR',
    text: `What your nodes earned on 02 Mar 2027, 09:00 UTC:

400 XCR

See your full history: https://nodes.example.com/history

You signed up for this email. You can turn it off on the same page.

Date: 02 Mar 2027
Calculation: 1 node × 400 XCR = 400 XCR
Balance now: 400 XCR

XCR Nodes
Questions? support@example.com`,
  })
})

test('each holder is told in the inbox and on the devices as chosen, once', async () => {
  const { at, openHolder, run, pay, digest, mails } = await setup()
  at('2027-03-01T12:00:00Z')
  const open = async (choice: { inbox: boolean; push: boolean } | undefined) => {
    const id = await openHolder()
    await run(
      `insert into push_subscriptions (id, user_id, session_key, endpoint, p256dh, auth, created_at, last_seen_at)
       values (gen_random_uuid(), $1, gen_random_uuid(), 'https://push.example/' || $1::uuid, repeat('B', 87), repeat('a', 22), now(), now())`,
      [id],
    )
    if (choice)
      await run(
        `insert into message_choices (id, user_id, topic, inbox, push) values (gen_random_uuid(), $1, 'rewards', $2, $3)`,
        [id, choice.inbox, choice.push],
      )
    return id
  }
  const pushed = await open({ inbox: false, push: true })
  const listed = await open({ inbox: true, push: false })
  const both = await open({ inbox: true, push: true })
  await open({ inbox: false, push: false })
  await open(undefined)
  at('2027-03-02T09:00:00Z')
  await pay()
  await digest()
  await digest()

  const told = await run<{ user: string; listed: boolean; pushes: number }>(
    `select m.user_id as user, m.is_listed as listed, count(o.id)::int as pushes
     from inbox_messages m left join outgoing_pushes o on o.message_id = m.id group by m.id`,
  )
  expect(new Map(told.map(({ user, ...rest }) => [user, rest]))).toEqual(
    new Map([
      [pushed, { listed: false, pushes: 1 }],
      [listed, { listed: true, pushes: 0 }],
      [both, { listed: true, pushes: 1 }],
    ]),
  )
  expect(await run(`select from pgboss.job where name = 'send-push'`)).toHaveLength(2)
  expect(await mails()).toEqual([])
})

test('only the holders whom the day has paid get a mail', async () => {
  const { at, openReader, run, pay, digest, mails } = await setup()
  at('2027-03-01T12:00:00Z')
  const [paid, unpaid] = [await openReader(), await openReader()]
  await run(`update nodes set active_from = '2027-03-02T09:00:01Z' where user_id = $1`, [unpaid])
  at('2027-03-02T09:00:00Z')
  await pay()
  await digest()
  expect((await mails()).map(({ to }) => to)).toEqual([`${paid}@example.com`])
})

test('three concurrent workers mail each subscriber once', async () => {
  const { at, openReader, pay, newWorker, mails, countJobs } = await setup()
  at('2027-03-01T12:00:00Z')
  for (let count = 0; count < 5; count += 1) await openReader()
  at('2027-03-02T09:00:00Z')
  await pay()
  await Promise.all([newWorker(), newWorker(), newWorker()].map((worker) => mailDueDigests(worker)))
  expect(new Set((await mails()).map(({ to }) => to)).size).toBe(5)
  expect(await mails()).toHaveLength(5)
  expect(await countJobs()).toBe(5)
})

test('after a worker is killed between two batches, the next one mails the rest and no mail is sent twice', async () => {
  const { at, openReader, run, pay, worker, digest, mails, countJobs } = await setup()
  at('2027-03-01T12:00:00Z')
  await openReader()
  await run(
    `with made as (
       insert into users (id, email, password_hash, wants_reward_digest, created_at)
       select gen_random_uuid(), n || '@example.com', '-', true, now() from generate_series(1, 1100) n returning id
     ), bought as (
       insert into purchases (id, user_id, status, requested_quantity, unit_price, amount, created_at, opened_at)
       select gen_random_uuid(), id, 'confirmed', 1, 0, 0, now(), now() from made returning id, user_id
     )
     insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from)
     select 1000 + row_number() over (), user_id, id, 'paid', '2027-03-01T12:00Z', '2027-03-01T12:00Z' from bought`,
  )
  at('2027-03-02T09:00:00Z')
  await pay()

  let batches = 0
  const dying = Object.create(worker.jobs, {
    enqueue: {
      value: (...call: Parameters<JobQueue['enqueue']>) => {
        batches += 1
        if (batches === 2) throw new Error('killed')
        return worker.jobs.enqueue(...call)
      },
    },
  }) as JobQueue
  await expect(mailDueDigests({ ...worker, jobs: dying })).rejects.toThrow('killed')
  expect(await mails()).toHaveLength(500)

  await digest()
  await digest()
  expect(new Set((await mails()).map(({ to }) => to)).size).toBe(1101)
  expect(await mails()).toHaveLength(1101)
  expect(await countJobs()).toBe(1101)
})

test('days older than two days are not mailed', async () => {
  const { at, openReader, pay, digest, mails } = await setup()
  at('2027-03-01T12:00:00Z')
  await openReader()
  at('2027-03-31T12:00:00Z')
  await pay()
  await digest()
  expect((await mails()).map(({ text }) => /Date: (.+)/.exec(text)![1]).toSorted((a, b) => a!.localeCompare(b!))).toEqual([
    '29 Mar 2027',
    '30 Mar 2027',
    '31 Mar 2027',
  ])
  await digest()
  expect(await mails()).toHaveLength(3)
})
