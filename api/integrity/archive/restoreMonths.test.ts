import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'
import { jobs } from '#api/app/schedule.ts'
import { prepareTables } from '#api/entities/prepareDatabase.ts'
import { sql } from '#api/platform/db/sql.ts'
import { archiveOf, startArchiveWorld } from '#api/testing/archiveWorld.ts'
import { damage } from '#api/testing/damage.ts'
import { copyDatabase, createDatabase } from '#api/testing/database.ts'
import { canDump } from '#api/testing/dumpDatabase.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'

type World = Awaited<ReturnType<typeof startArchiveWorld>>

const timesAt = (time: string) => ({ now: new Date(time), productNow: new Date(time) })
const APRIL = '2027-04-02T09:00:00Z'

/** Restores a backup of the present state as another database, which uses the same folder. */
async function backUp({ database, owner, clock, folder, one }: World) {
  await owner.close(true)
  const backup = await copyDatabase(database)
  onCleanup(() => backup.release())
  for (const orm of [database.orm, database.superuser, owner]) await orm.connect()
  return async () => {
    const restored = await copyDatabase(backup)
    onCleanup(() => restored.release())
    return { database: restored, ...archiveOf({ database: restored, clock, folder, holder: one }) }
  }
}

/** Another database's rows, or a damage. */
const change = ({ database }: { database: Pick<World['database'], 'superuser'> }, statement: string) =>
  database.superuser.em.fork().transactional((em) => damage(em, statement))

const filesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name)).toString('base64')]))

test('a database restored from before months were archived and dropped archives them again into the same files', async () => {
  const world = await startArchiveWorld()
  world.at(APRIL)
  await world.pay()
  const restore = await backUp(world)
  await world.archive({ drop: true, at: timesAt(APRIL) })
  const files = filesIn(world.folder)
  const { statement, rewards, history } = await world.see()
  expect(Object.keys(files)).toHaveLength(4)

  const restored = await restore()
  expect(await restored.archive({ at: timesAt(APRIL) })).toEqual([
    '2027-01 is archived: 10 entries, 6 rewards.',
    '2027-02 is archived: 56 entries, 56 rewards.',
  ])
  expect(filesIn(world.folder)).toEqual(files)
  expect(await restored.archive({ drop: true })).toHaveLength(2)
  expect(await restored.see()).toMatchObject({ statement, rewards, history })
  expect(await restored.find()).toEqual([])
})

test('a month is not written over the file of another database, nor over a damaged one, and nothing is archived', async () => {
  const world = await startArchiveWorld()
  const restore = await backUp(world)
  await world.archive({ drop: true })
  const files = filesIn(world.folder)

  const staging = await restore()
  await change(staging, `update ledger_entries set recorded_at = recorded_at + interval '1 hour' where date = '2027-01-29'`)
  await expect(staging.archive()).rejects.toThrow(
    'ledger_entries_2027_01.csv.gz has other rows than this database, so nothing is written over it. Give each database a folder of its own.',
  )
  expect(filesIn(world.folder)).toEqual(files)
  expect(await sql(staging.database.orm.em.fork(), 'select from archived_months')).toEqual([])

  const damaged = path.join(world.folder, 'ledger_entries_2027_01.csv.gz')
  writeFileSync(damaged, readFileSync(damaged).subarray(0, 90))
  await expect((await restore()).archive()).rejects.toThrow('has other rows than this database')
})

test('files that the restored folder lacks are written again, and an entry whose file is lost is not dropped', async () => {
  const world = await startArchiveWorld()
  await world.archive()
  const files = filesIn(world.folder)
  rmSync(world.folder, { recursive: true })

  expect(await world.archive()).toEqual([
    'ledger_entries_2027_01.csv.gz was missing and is written again.',
    'distributions_2027_01.csv.gz was missing and is written again.',
  ])
  expect(filesIn(world.folder)).toEqual(files)

  await world.archive({ drop: true })
  rmSync(path.join(world.folder, 'ledger_entries_2027_01.csv.gz'))
  expect(await world.archive()).toEqual([
    'ledger_entries_2027_01.csv.gz is missing, and the 10 entries of 2027-01 are nowhere else: restore it from a backup.',
  ])

  rmSync(path.join(world.folder, 'distributions_2027_01.csv.gz'))
  await change(world, `update archived_distributions set created_at = now() where day = '2027-01-30'`)
  await expect(world.archive()).rejects.toThrow('The archived rows of 2027-01 are not those that were archived')
  expect(readdirSync(world.folder)).toEqual([])
})

test('dropped entries return from their file as the README says', async () => {
  const world = await startArchiveWorld()
  await world.archive()
  const seen = await world.see()
  await world.archive({ drop: true })
  const owner = world.owner.em.fork()
  for (const statement of recipe('```sql\n(create table archived_ledger_entries_2027_01[^`]*)```').split(';\n'))
    if (statement.trim()) await sql(owner, statement)
  const [, ...lines] = gunzipSync(readFileSync(path.join(world.folder, 'ledger_entries_2027_01.csv.gz')))
    .toString()
    .trim()
    .split('\n')
  for (const line of lines) {
    const cells = line.replaceAll('"', '').split(',')
    await sql(owner, 'insert into archived_ledger_entries values ($1, $2, $3, $4, $5, $6)', cells)
  }
  expect(await world.see()).toEqual(seen)
  expect(await world.find()).toEqual([])
})

function recipe(pattern: string): string {
  const readme = readFileSync(path.join(import.meta.dirname, '../../../README.md'), 'utf8')
  return new RegExp(pattern).exec(readme)![1]!
}

const url = inject('databaseUrl')
test.skipIf(!(await canDump(url)))(
  'daily dumps without the archived rows are complete with those of a dump made after archiving (skipped if pg_dump is older than the server)',
  async () => {
    const world = await startArchiveWorld()
    const shell = (script: string, env: Record<string, string>) =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: world.folder, env: { ...process.env, ...env } })
    await world.archive()
    const [dumpAll, dumpDaily, restoreRows] = recipe('```sh\n(pg_dump --format=custom --file=archived[^`]*)```').split('\n')
    shell(dumpAll!, { DATABASE_OWNER_URL: world.database.ownerUrl })
    world.at(APRIL)
    await world.pay()
    shell(dumpDaily!, { DATABASE_OWNER_URL: world.database.ownerUrl })
    const seen = await archiveOf({ ...world, holder: world.one }).see()

    const database = await createDatabase({ empty: true })
    onCleanup(() => database.release())
    shell('pg_restore --no-owner --no-privileges --exit-on-error --dbname="$DATABASE_OWNER_URL" daily.dump', {
      DATABASE_OWNER_URL: database.ownerUrl,
    })
    await prepareTables(database.orm, { ownerUrl: database.ownerUrl, jobNames: jobs.map(({ name }) => name) })
    const restored = archiveOf({ database, clock: world.clock, folder: world.folder, holder: world.one })
    expect((await restored.find()).map(({ name }) => name)).not.toEqual([])
    shell(restoreRows!, { DATABASE_OWNER_URL: database.ownerUrl })
    expect(await restored.find()).toEqual([])
    expect(await restored.see()).toEqual(seen)
  },
)
