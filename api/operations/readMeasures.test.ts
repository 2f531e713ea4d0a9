import { expect, test } from 'vitest'
import { sql } from '#api/platform/db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { publishExample } from '#api/testing/publishExample.ts'
import { readMeasures } from './readMeasures.ts'

const database = useDatabase()

const read = async () => {
  const measures = await readMeasures({ orm: database.orm })
  return Object.fromEntries(measures.map(({ name, labels, value }) => [[name, ...Object.values(labels)].join(' '), value]))
}

test('a fresh installation has every figure except ages of nothing', async () => {
  const measures = await read()
  expect(measures).toMatchObject({
    'xcr_nodes total': 20_000,
    'xcr_nodes reserved': 0,
    'xcr_purchases confirmed': 0,
    xcr_payouts_stopped: 0,
    xcr_payouts_capped: 0,
    'xcr_payouts_signed_xcr hour': 0,
    'xcr_payouts_signed_xcr day': 0,
    xcr_register_stopped: 0,
    'xcr_leader watcher': 0,
    'xcr_jobs_waiting send-mail': 0,
  })
  expect(Object.keys(measures).filter((name) => name.endsWith('oldest_seconds'))).toEqual([])
})

test('a role that no process leads is not measured, since its alert would never end', async () => {
  const roles = Object.keys(await read()).filter((name) => name.startsWith('xcr_leader'))
  expect(roles.toSorted()).toEqual(['xcr_leader payouts', 'xcr_leader watcher'])
})

test('waiting, failed and late work is measured', async () => {
  const em = database.orm.em.fork()
  await sql(
    em,
    `insert into sweep_runs (name, finished_at, failed_at) values
    ('good', now() - interval '90 seconds', now() - interval '5 minutes'), ('bad', now() - interval '1 hour', now())`,
  )
  await sql(em, `update chain_progress set head_number = 1000, verified_number = 900`)
  await sql(
    em,
    `insert into audit_runs (id, at, unchecked, differences) values
    (gen_random_uuid(), now() - interval '2 hours', '[]', '["a", "b"]')`,
  )

  const measures = await read()

  expect(measures).toMatchObject({
    'xcr_task_failing good': 0,
    'xcr_task_failing bad': 1,
    xcr_watcher_lag_blocks: 100,
    xcr_audit_differences: 2,
  })
  // Columns round instants to milliseconds, upward too.
  expect(Math.round(measures['xcr_task_age_seconds good']!)).toBeGreaterThanOrEqual(90)
  expect(Math.round(measures['xcr_audit_age_seconds']!)).toBeGreaterThanOrEqual(7_200)
})

test('an unsent mail is measured, unless only its recipient is refused', async () => {
  const em = database.orm.em.fork()
  await sql(
    em,
    `insert into outgoing_mails (id, recipient, subject, text, html, created_at, next_attempt_at)
     values (gen_random_uuid(), 'a@example.com', '', '', '', now() - interval '20 minutes', now())`,
  )
  expect((await read())['xcr_mail_oldest_seconds']).toBeGreaterThan(1_190)

  await sql(em, 'update outgoing_mails set attempts_end_at = now()')
  expect(await read()).not.toHaveProperty('xcr_mail_oldest_seconds')
})

test('the age, the anchor and a stop of the register are measured', async () => {
  expect(Object.keys(await read()).filter((name) => name.startsWith('xcr_register'))).toEqual(['xcr_register_stopped'])
  await publishExample(database.orm)
  await sql(database.superuser.em.fork(), `update register_state set held_equation = 'E5', held_since = now()`)
  const before = await read()
  expect(before).toMatchObject({ xcr_register_anchored: 0, xcr_register_stopped: 1 })
  expect(before['xcr_register_age_seconds']).toBeLessThan(60)

  await sql(
    database.orm.em.fork(),
    `insert into register_anchors (contract, index, size, root, time) select '0x1', 0, size, root, now() from register_checkpoints`,
  )
  await sql(database.superuser.em.fork(), `update register_state set held_equation = null, held_since = null`)
  expect(await read()).toMatchObject({ xcr_register_anchored: 1, xcr_register_stopped: 0 })
})
