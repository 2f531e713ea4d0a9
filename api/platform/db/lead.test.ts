import { expect, onTestFinished, test } from 'vitest'
import { useDatabase } from '#api/testing/database.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { sql } from './sql.ts'
import { lead, type Term, UnfitToLead, wait, workInRounds } from './lead.ts'

const database = useDatabase()

const outOfDescriptors = () => Promise.reject(Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' }))

/** A process that competes for a role, with whether it leads and the errors it reported. */
function startMember(work: (term: Term, onError: (error: unknown) => void) => Promise<void>) {
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const member = { leads: false, errors, stop: async () => {} }
  const { stop } = lead(
    database.url,
    'watcher',
    async (term) => {
      member.leads = true
      await work(term, onError).finally(() => (member.leads = false))
    },
    onError,
  )
  onTestFinished(stop)
  return Object.assign(member, { stop })
}

const startStandby = () => startMember(({ signal }) => wait(60_000, signal))

test('a leader that cannot open connections yields to another process', async () => {
  const unfit = startMember((term, onError) => workInRounds(term, outOfDescriptors, { onError, unfitAfter: 0 }))
  await expect.poll(() => unfit.errors).toEqual([expect.any(UnfitToLead)])
  const standby = startStandby()
  await expect.poll(() => standby.leads).toBe(true)
  expect(unfit.leads).toBe(false)
})

test('a leader whose work fails for other reasons or only occasionally keeps the lead and retries', async () => {
  const outcomes = [
    () => Promise.reject(new Error('a fault of ours')),
    outOfDescriptors,
    () => Promise.resolve(0),
    () => Promise.reject(new Error('a fault of ours')),
    outOfDescriptors,
  ]
  const done = Promise.withResolvers<void>()
  // Yields at the second consecutive failure.
  const member = startMember((term, onError) =>
    workInRounds(
      term,
      async () => {
        const next = outcomes.shift()
        if (next) return next()
        done.resolve()
        return 60_000
      },
      { onError, unfitAfter: 1 },
    ),
  )
  await done.promise
  expect(member.leads).toBe(true)
  expect(member.errors.map(String)).toEqual([
    'Error: a fault of ours',
    'Error: connect EMFILE',
    'Error: a fault of ours',
    'Error: connect EMFILE',
  ])
  await member.stop()
})

test('a process that is stopped while its term begins does not begin its work', async () => {
  const em = database.orm.em.fork()
  await em.begin()
  await sql(em, `select from leaderships where role = 'watcher' for update`)
  let hasBegun = false
  const member = lead(
    database.url,
    'watcher',
    ({ signal }) => {
      hasBegun = true
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
    },
    () => {},
  )
  await untilLockWaits(database)
  const stopped = member.stop()
  await em.rollback()
  await stopped
  expect(hasBegun).toBe(false)
})
