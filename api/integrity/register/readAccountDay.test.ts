import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { changeProofKey, findRegisterDays, readRegisterDay, showProofKeys } from '#shared/contract/register.ts'
import { equalBytes, fromBase64, toBase64 } from '#shared/register/bytes.ts'
import { DayTree } from '#shared/register/dayTree.ts'
import { bodyOf, encodeSealed, parseEntry } from '#shared/register/entries.ts'
import { freeLeaf, LEAF_SIZE, parseLeaf } from '#shared/register/nodeLeaf.ts'
import {
  daySecret,
  emailHash,
  entryCommitment,
  entrySecret,
  type Identity,
  nodeCommitment,
  payoutCommitment,
} from '#shared/register/secrets.ts'
import { readIdentities } from '#api/accounts/proofs/readIdentities.ts'
import { query } from '#api/entities/tables.ts'
import { createDatabase } from '#api/testing/database.ts'
import { holdersOf } from '#api/testing/holders.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { REGISTER_ON } from '#api/testing/testConfig.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const SUPPLY = 5
const [MONDAY, TUESDAY] = ['2026-11-23', '2026-11-24']

/** A log whose entries a test appends, with two holders: numbers 1 and 2, and number 3. */
async function startLog() {
  const database = await createDatabase()
  onCleanup(() => database.release())
  const server = await startServer(database, { env: REGISTER_ON })
  server.clock.set(new Date(`${MONDAY}T08:00:00.000Z`))
  const [holder, other] = [await makeBuyer(server), await makeBuyer(server)]
  const { giveNodes } = holdersOf({ database, clock: server.clock })
  await giveNodes(holder.user.id, { nodes: 2 })
  await giveNodes(other.user.id)
  for (const { browser, grantMark } of [holder, other]) {
    await grantMark()
    await browser.call(showProofKeys, {})
  }
  const em = () => database.orm.em.fork()
  const identity = async (id: string): Promise<Identity> =>
    (await readIdentities(em(), server.services.config, [id])).get(id)!.all.at(-1)!
  let size = 0
  const append = async (kind: string, text: string, userId: string | null = null) => {
    const entry = { index: size++, kind, text, leafHash: randomBytes(32), userId, appendedAt: server.clock.now() }
    await query(em()).insertInto('register_entries').values(entry).execute()
    return entry.index
  }
  return {
    server,
    holder,
    other,
    identity,
    append,
    em,
    async publish(day: string) {
      const tree = new DayTree()
      const owners = [holder, holder, other]
      const leaves: Uint8Array[] = []
      for (let number = 1; number <= SUPPLY; number++) {
        const owner = owners[number - 1] && (await identity(owners[number - 1]!.user.id))
        const commitment = owner && nodeCommitment({ ...owner, secret: daySecret(owner.proofKey, day), day, number })
        leaves.push(tree.append(commitment ? { state: 'active', kind: 'paid', commitment, earned: 0n } : freeLeaf))
      }
      await query(em())
        .insertInto('register_days')
        .values({ day, supply: SUPPLY, root: tree.root(), leaves: Buffer.concat(leaves), blockHashes: tree.blockHashes() })
        .execute()
      await append('day', `day/v1\nday ${day}\n`)
      return (number: number) =>
        parseLeaf(Uint8Array.from(Buffer.concat(leaves).subarray((number - 1) * LEAF_SIZE, number * LEAF_SIZE)))
    },
    async appendGrant(group: number) {
      const { proofKey, emailHash } = await identity(holder.user.id)
      const time = server.clock.now()
      const numbers = [{ first: 1, last: 2 }]
      const text = encodeSealed({ kind: 'grant', time, cause: 'hand', group, numbers, allocated: time, active: time }, (body) =>
        entryCommitment({ secret: entrySecret(proofKey, body), body, emailHash }),
      )
      return append('grant', text, holder.user.id)
    },
  }
}

const opensLeaf = (
  leaf: { commitment: Uint8Array },
  email: string,
  { day, number, secret }: { day: string; number: number; secret: string },
) => equalBytes(leaf.commitment, nodeCommitment({ secret: fromBase64(secret)!, day, number, emailHash: emailHash(email) }))

const opensEntry = ({ text, secret }: { text: string; secret: string | null }, email: string) => {
  const entry = parseEntry(text)
  const body = bodyOf(text)
  const own = { secret: fromBase64(secret!)!, body, emailHash: emailHash(email) }
  return 'owner' in entry && entry.owner !== null && equalBytes(entry.owner, entryCommitment(own))
}

test('an account gets the secret of the day, its numbers, and its entries with their secrets, and nothing of others', async () => {
  const log = await startLog()
  const { holder, other } = log
  await log.appendGrant(1)
  const leafOf = await log.publish(MONDAY)
  const books = await log.append('books', 'books/v1\n')
  await query(log.em()).insertInto('register_balances').values({ userId: holder.user.id, balance: 7n, debt: 2n }).execute()

  const seen = await holder.browser.call(readRegisterDay, { params: { day: MONDAY }, query: { after: -1 } })
  expect(seen).toMatchObject({ numbers: '1-2', books: { index: books, balance: 7n, debt: 2n }, more: false })
  expect(seen.entries.map(({ index, secret }) => [index, secret !== null])).toEqual([
    [0, true],
    [1, false],
    [2, false],
  ])
  const { email } = holder.user
  for (const number of [1, 2]) expect(opensLeaf(leafOf(number), email, { day: MONDAY, number, secret: seen.secret })).toBe(true)
  expect(opensLeaf(leafOf(3), email, { day: MONDAY, number: 3, secret: seen.secret })).toBe(false)
  expect(opensEntry(seen.entries[0]!, email)).toBe(true)

  const theirs = await other.browser.call(readRegisterDay, { params: { day: MONDAY }, query: { after: -1 } })
  expect(theirs).toMatchObject({ numbers: '3', books: { balance: 0n, debt: 0n } })
  expect(theirs.entries.map(({ index }) => index)).toEqual([1, 2])
  expect(theirs.secret).not.toBe(seen.secret)
})

test('changes of the key of the log are sent, so that a page follows them without the log', async () => {
  const { append, publish, holder } = await startLog()
  await append('key', 'key/v1\ntime x\nuse receipt\nold x\nnew y\nproof -\n')
  const change = await append('key', 'key/v1\ntime x\nuse log\nold x\nnew y\nproof z\n')
  await publish(MONDAY)
  const read = (after: number) => holder.browser.call(readRegisterDay, { params: { day: MONDAY }, query: { after } })
  expect((await read(-1)).entries.map(({ index, secret }) => [index, secret])).toEqual([
    [change, null],
    [change + 1, null],
  ])
  expect((await read(change)).entries.map(({ index }) => index)).toEqual([change + 1])
})

test('entries behind an index are sent in pages', async () => {
  const log = await startLog()
  for (let group = 1; group <= 201; group++) await log.appendGrant(group)
  await log.publish(MONDAY)
  const read = (after: number) => log.holder.browser.call(readRegisterDay, { params: { day: MONDAY }, query: { after } })
  const first = await read(-1)
  expect(first.more).toBe(true)
  expect(first.entries.map(({ index }) => index)).toEqual([...Array(200).keys()])
  const second = await read(199)
  expect(second).toMatchObject({ more: false, entries: [{ index: 200 }, { index: 201 }] })
  expect((await read(201)).entries).toEqual([])
})

test('a day that is not published and an account that is not in the register are not found', async () => {
  const log = await startLog()
  await log.publish(MONDAY)
  const newcomer = await makeBuyer(log.server)
  const read = (browser: typeof newcomer.browser, day: string) =>
    browser.call(readRegisterDay, { params: { day }, query: { after: -1 } })
  await expect(read(log.holder.browser, TUESDAY)).rejects.toMatchObject({ code: 'not_found' })
  await expect(read(newcomer.browser, MONDAY)).rejects.toMatchObject({ code: 'not_found' })
})

test('after a change of the proof key, earlier days and entries open with the key that they were published with', async () => {
  const log = await startLog()
  const { holder } = log
  const { email, id } = holder.user
  const withdrawal = await insertWithdrawal(log.server.services.orm, { amount: '10', fee: '1' })
  await query(log.em()).updateTable('withdrawals').set({ user: id, signature: '0x01' }).where('id', '=', withdrawal.id).execute()
  const payment = { recipient: withdrawal.toAddress, messageHash: Uint8Array.from(Buffer.from(withdrawal.messageHash, 'hex')) }
  const appendPayout = async (state: 'accepted' | 'refunded') => {
    const { proofKey, emailHash } = await log.identity(id)
    const text = encodeSealed(
      {
        kind: 'payout',
        time: log.server.clock.now(),
        state,
        transfer: null,
        wallet: null,
        net: 9n,
        fee: 1n,
        request: randomBytes(32),
      },
      (body) => payoutCommitment({ secret: entrySecret(proofKey, body), body, emailHash, ...payment }),
    )
    return log.append('payout', text, id)
  }
  await log.appendGrant(1)
  await appendPayout('accepted')
  const monday = await log.publish(MONDAY)
  await holder.grantMark()
  await holder.browser.call(changeProofKey, {})
  await log.appendGrant(2)
  await appendPayout('refunded')
  const tuesday = await log.publish(TUESDAY)

  const read = (day: string) => holder.browser.call(readRegisterDay, { params: { day }, query: { after: -1 } })
  const [before, after] = [await read(MONDAY), await read(TUESDAY)]
  expect(opensLeaf(monday(1), email, { day: MONDAY, number: 1, secret: before.secret })).toBe(true)
  expect(opensLeaf(tuesday(1), email, { day: TUESDAY, number: 1, secret: after.secret })).toBe(true)
  expect(opensLeaf(tuesday(1), email, { day: TUESDAY, number: 1, secret: before.secret })).toBe(false)
  const own = after.entries.filter(({ secret }) => secret !== null)
  expect(own).toHaveLength(4)
  for (const entry of own.filter(({ text }) => text.startsWith('grant'))) expect(opensEntry(entry, email)).toBe(true)
  for (const { text, secret } of own.filter(({ text }) => text.startsWith('payout'))) {
    const body = bodyOf(text)
    const commitment = payoutCommitment({ secret: fromBase64(secret!)!, body, emailHash: emailHash(email), ...payment })
    expect(text).toContain(toBase64(commitment))
  }
})

test('the first and the last day of the register are found', async () => {
  const log = await startLog()
  const { browser } = log.other
  expect(await browser.call(findRegisterDays, {})).toEqual({ days: null })
  for (const day of [TUESDAY, MONDAY]) await log.publish(day)
  expect(await browser.call(findRegisterDays, {})).toEqual({ days: { first: MONDAY, last: TUESDAY } })
})
