import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { assignBonus } from '#shared/contract/admin/bonus.ts'
import { changeProofKey } from '#shared/contract/register.ts'
import { sql } from '#api/platform/db/sql.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { buy, knowledgeOf, withdraw } from '#api/testing/registerHolders.ts'
import { type RegisterWorld, startRegister } from '#api/testing/registerWorld.ts'
import { startServer } from '#api/testing/server.ts'
import type { PublicFile } from '../answerFile.ts'
import { PublicFiles } from '../PublicFiles.ts'
import { serveFiles } from '../serveFiles.ts'
import { addRegisterNote, rotateRegisterKeys } from './operatorEntries.ts'
import { publishNewest } from './publishRegister.ts'

const actor = 'operator:me'

async function startPublished(): Promise<RegisterWorld> {
  const world = await startRegister({ supply: 300 })
  const buyer = await world.openBuyer()
  await world.reserve(buyer, 2)
  await world.pay(buyer.wallet, '6')
  await world.confirm()
  await world.payDay()
  await world.publish()
  return world
}

/** The same installation after a change of its configuration. */
const restart = ({ server, database }: RegisterWorld, register: Partial<NonNullable<typeof server.services.config.register>>) => {
  const { config } = server.services
  return startServer(database, { config: { ...config, register: { ...config.register!, ...register } } })
}
const keys = { signingKey: new Uint8Array(32).fill(0x71), receiptKey: new Uint8Array(32).fill(0x72) }

test('a verifier follows new keys that the old one signed, and the old one publishes nothing any more', async () => {
  const world = await startPublished()
  const { services } = world.server
  const memory = (await world.verify()).seen
  const { services: rotated } = await restart(world, keys)
  const oldSigningKey = services.config.register!.signingKey

  expect(await rotateRegisterKeys(rotated, { actor, oldSigningKey })).toBe(
    'The register names the new log key and the new receipt key.',
  )
  expect(await world.problems()).toEqual({})
  const report = await world.verify({ memory })
  expect([report.ticks.get('growth')?.outcome, report.ticks.get('signature')?.outcome]).toEqual(['ok', 'ok'])
  await expect(rotateRegisterKeys(rotated, { actor, oldSigningKey })).rejects.toThrow('names the configured keys already')

  await world.payDay()
  for (let round = 0; round < 2; round += 1)
    await expect(world.publish()).rejects.toThrow('ALERT: REGISTER_SIGNING_KEY is not the key')
  expect(await mailsTo(world.database, services.config.SUPPORT_EMAIL), 'one a day').toMatchObject([
    {
      text: expect.stringContaining('REGISTER_SIGNING_KEY is not the key that the public register names: nothing is published.'),
    },
  ])
  await publishNewest({ ...rotated, clock: services.clock })
  expect(await world.problems()).toEqual({})
  expect(await sql(services.orm.em.fork(), `select after from audit_entries where action = 'register.rotate_keys'`)).toEqual([
    { after: { keys: ['log', 'receipt'] } },
  ])
})

test('another old key is refused, and without the old key a verifier has to be told', async () => {
  const world = await startPublished()
  const { services: rotated } = await restart(world, { signingKey: keys.signingKey })
  const before = await world.entries()
  await expect(rotateRegisterKeys(rotated, { actor, oldSigningKey: keys.receiptKey })).rejects.toThrow(
    'is not the key that the register names',
  )
  expect(await world.entries()).toEqual(before)

  await rotateRegisterKeys(rotated, { actor, oldSigningKey: undefined })
  expect(Object.keys(await world.problems())).toEqual(['signature'])
  const [logKey] = (await world.entries()).at(-1)!.match(/(?<=^new ).*/m)!
  expect((await world.verify({ logKey: logKey! })).named('failed')).toEqual([])
})

test('an operator publishes sentences, and which entry is wrong', async () => {
  const world = await startPublished()
  const { services } = world.server
  await addRegisterNote(services, { actor, text: 'The office moved.', wrongEntry: undefined })
  await addRegisterNote(services, { actor, text: 'The amount was misread.', wrongEntry: 3 })
  const lines = (await world.entries()).slice(-2).map((entry) => entry.split('\n').filter((line) => !line.startsWith('time')))
  expect(lines).toEqual([
    ['note/v1', 'topic message', 'subject -', 'text The office moved.', ''],
    ['note/v1', 'topic wrong', 'subject 3', 'text The amount was misread.', ''],
  ])
  expect(await world.problems()).toEqual({})
  const refused = [
    { text: 'two\nlines', wrongEntry: undefined },
    { text: '안녕하세요', wrongEntry: undefined },
    { text: '', wrongEntry: undefined },
    { text: 'x'.repeat(201), wrongEntry: undefined },
    { text: 'There is none.', wrongEntry: 10_000 },
  ]
  const before = await world.entries()
  for (const note of refused)
    await expect(addRegisterNote(services, { actor, ...note })).rejects.toMatchObject({ name: 'EntryRefused' })
  expect(await world.entries()).toEqual(before)
})

test("the README's commands begin a new register after a loss of data, and its holders get receipts of it", async () => {
  const world = await startRegister({ supply: 300 })
  await world.set('xcr_per_node_daily', '1000')
  await world.publish()
  const buyer = await world.openBuyer()
  const transfers = [await buy(world, buyer, 12)]
  await buy(world, buyer, 2)
  for (let day = 0; day < 3; day++) await world.payDay()
  await buyer.grantMark()
  await buyer.browser.call(changeProofKey, {})
  const messages = [await withdraw(world, buyer, '3000')]
  const { email: userEmail } = buyer.user
  await world.call(assignBonus, { body: { userEmail, quantity: 1 } })
  await world.payOut()
  const checkAccount = async (day: string) => {
    const known = await knowledgeOf(world, buyer, day)
    const { ticks } = await world.verify({ account: { ...known, transfers, messages } }, 'account')
    const problems = [...ticks].filter(([, { outcome }]) => outcome === 'failed' || outcome === 'unknown')
    return { problems, receipts: known.receipts.map(({ kind }) => kind).toSorted() }
  }
  const day = await world.payDay()
  await world.publish()
  const account = await checkAccount(day)
  expect(account).toEqual({ problems: [], receipts: ['account', 'account', 'nodes', 'nodes', 'nodes', 'withdrawal'] })
  const before = await world.entries()
  const readme = readFileSync(path.join(import.meta.dirname, '../../../../README.md'), 'utf8')
  const [, block = ''] = /psql "\$DATABASE_OWNER_URL" -1 (.*?)```/s.exec(readme) ?? []
  const statements = [...block.matchAll(/-c "([^"]*)"/g)].map(([, statement]) => statement!)
  expect(statements).toHaveLength(5)
  const owner = new pg.Client({ connectionString: world.database.ownerUrl })
  await owner.connect()
  await owner.query('begin')
  for (const statement of statements) await owner.query(statement)
  await owner.query('commit')
  await expect(owner.query('delete from register_entries')).rejects.toThrow()
  await owner.end()

  const { services: renewed } = await restart(world, keys)
  Object.assign(world.server.services.config, { register: renewed.config.register })
  await world.publish()
  expect((await world.entries())[0]).not.toBe(before[0])
  expect(await world.problems()).toEqual({})
  expect(await checkAccount(day)).toEqual(account)
  await buy(world, buyer, 1)
  const next = await world.payDay()
  await world.publish()
  expect(await checkAccount(next)).toEqual({ problems: [], receipts: [...account.receipts, 'nodes'].toSorted() })
})

test("files copied to a bucket in the README's order verify after each of them", async () => {
  const world = await startPublished()
  const { orm } = world.server.services
  const bucket = new Map<string, PublicFile>()
  const serve = serveFiles({ find: async (name) => bucket.get(name) }, { securityHeaders: {}, onError: fail })
  const server = http.createServer(serve).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const verify = async () => {
    const report = await world.verify({ site })
    return { failed: report.named('failed'), unknown: report.named('unknown') }
  }

  const readme = readFileSync(path.join(import.meta.dirname, '../../../../README.md'), 'utf8')
  const [, order = ''] = /Copy\s+them in this order.*?: (`.*?`)\./s.exec(readme) ?? []
  const steps = [...order.matchAll(/`([^`]+)`/g)].map(([, step]) => step!)
  expect(steps).toHaveLength(6)
  const published = async (step: string): Promise<string[]> => {
    const days = await sql<{ day: string }>(orm.em.fork(), 'select day::text from register_days')
    if (step === 'days/*') return days.flatMap(({ day }) => [`days/${day}.bin`, `days/${day}.hashes.bin`])
    return step === 'log/*.txt' ? ['log/0.txt'] : [step]
  }
  for (const round of [1, 2]) {
    const files = new PublicFiles({ orm })
    for (const step of steps) {
      for (const name of await published(step)) bucket.set(name, (await files.find(name))!)
      if (round === 2) expect(await verify(), step).toEqual({ failed: [], unknown: [] })
    }
    await world.payDay()
    await world.publish()
  }
})

const fail = (error: unknown) => {
  throw error
}
