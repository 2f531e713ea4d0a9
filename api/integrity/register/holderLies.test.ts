import { expect, test } from 'vitest'
import { MINUTE } from '#shared/dates.ts'
import { toBase64 } from '#shared/register/bytes.ts'
import { daySecret, emailHash, nodeCommitment } from '#shared/register/secrets.ts'
import { useShared } from '#api/testing/onCleanup.ts'
import { buy, knowledgeOf, withdraw } from '#api/testing/registerHolders.ts'
import { startRegister } from '#api/testing/registerWorld.ts'
import {
  changeLine,
  findEntry,
  isKind,
  lineOf,
  readServedLog,
  refit,
  serveLog,
  type ServedLog,
  withLine,
} from '#api/testing/servedLog.ts'
import { signNote, signerOf } from './signedNotes.ts'
import { type AccountOptions, parseReceipt, verify } from './verify.mjs'

/** A holder of 400 nodes with a paid withdrawal, and what the holder knows without the log. */
const shared = useShared(async () => {
  const world = await startRegister({ supply: 600 })
  const { orm, config } = world.server.services
  await world.publish()
  const holder = await world.openBuyer({ usdt: '3000' })
  // Later than the first entry, so that receipts are due.
  world.server.clock.set(new Date())
  const transfers = [await buy(world, holder, 400)]
  await world.payDay()
  await world.publish()
  await world.payDay()
  const messages = [await withdraw(world, holder, '3000')]
  await world.publish()
  await world.payOut()
  await world.payDay()
  const day = await world.payDay()
  await world.publish()
  const known = { ...(await knowledgeOf(world, holder, day)), transfers, messages }
  return { world, known, truth: await readServedLog(orm, config.register!.signingKey), receiptKey: config.register!.receiptKey }
})

/** The ticks that fail for the holder. */
async function findFailed(
  tell: (told: ServedLog) => void,
  change: (known: AccountOptions) => Partial<AccountOptions> = () => ({}),
) {
  const { world, known, truth } = shared
  const told = { ...truth, entries: [...truth.entries], days: structuredClone(truth.days) }
  tell(told)
  const report = await verify('account', {
    site: await serveLog(told),
    rpcs: [world.chain.url],
    rewardRpcs: [world.rewards.url],
    account: { ...known, ...change(known) },
  })
  return report.named('failed')
}

const lastDay = (told: ServedLog) => [...told.days.keys()].toSorted().at(-1)!
const foreign = toBase64(new Uint8Array(32).fill(7))
const nothing = () => {}

test('the truth fails no tick', async () => {
  expect(await findFailed(nothing)).toEqual([])
})

test.for<[what: string, tick: string, tell: (told: ServedLog) => void]>([
  ['a payment is given to another account', 'deposits', (told) => changeLine(told, 'deposit', 'owner', () => foreign)],
  [
    'a payment is ignored',
    'deposits',
    (told) => {
      const index = findEntry(told, 'deposit')
      const lines = ['group', 'numbers', 'price', 'priced', 'allocated', 'active', 'owner']
      const ignored = lines.reduce((entry, name) => withLine(entry, name, '-'), told.entries[index]!)
      told.entries[index] = withLine(withLine(ignored, 'decision', 'ignored'), 'reason', 'decision')
    },
  ],
  ['a payment is left out', 'deposits', (told) => told.entries.splice(findEntry(told, 'deposit'), 1)],
  [
    'a payout goes to another address, or was never signed by its owner',
    'payouts',
    (told) => changeLine(told, 'payout', 'owner', () => foreign),
  ],
  [
    'a withdrawal is left out, and the books fit',
    'payouts',
    (told) => {
      told.entries = told.entries.filter((entry) => !isKind(entry, 'payout'))
      told.entries = told.entries.map((entry) =>
        isKind(entry, 'books') ? withLine(withLine(entry, 'completed', '0 0'), 'open', '0') : entry,
      )
      // A signed message is accepted for ten minutes; only later books have to contain its withdrawal.
      changeLine(told, 'books', 'time', (time) => new Date(Date.parse(time) + 11 * MINUTE).toISOString())
      refit(told)
    },
  ],
  [
    'a node of the holder is committed to somebody else',
    'nodes',
    (told) => {
      const leaves = told.days.get(lastDay(told))!
      leaves[7] = { ...leaves[7]!, commitment: new Uint8Array(32).fill(7) }
      refit(told)
    },
  ],
  [
    'another number is committed to the holder',
    'nodes',
    (told) => {
      const leaves = told.days.get(lastDay(told))!
      const [key] = shared.known.keys
      const owner = { day: lastDay(told), number: 501, emailHash: emailHash(shared.known.email) }
      leaves[500] = { ...leaves[7]!, commitment: nodeCommitment({ ...owner, secret: daySecret(key!, owner.day) }) }
      refit(told)
    },
  ],
  [
    'a node of the holder earns less',
    'rewards',
    (told) => {
      const leaves = told.days.get(lastDay(told))!
      leaves[7] = { ...leaves[7]!, earned: leaves[7]!.earned - 10n ** 19n }
      refit(told)
    },
  ],
  [
    'the nodes become active at another time than promised',
    'receipts',
    (told) => changeLine(told, 'deposit', 'active', (time) => new Date(Date.parse(time) - 3_600_000).toISOString()),
  ],
  ['the purchase has one node less than promised', 'receipts', (told) => changeLine(told, 'deposit', 'numbers', () => '1-399')],
])('%s: %s', async ([, tick, tell]) => {
  expect(await findFailed(tell)).toContain(tick)
})

test('a receipt that was never given: receipts', async () => {
  expect(
    await findFailed(nothing, ({ receipts = [] }) => ({ receipts: receipts.filter(({ kind }) => kind !== 'nodes') })),
  ).toEqual(['receipts'])
})

test('a receipt signed by another key: receipts', async () => {
  const origin = lineOf(shared.truth.entries[0]!, 'origin')
  const own = shared.known.receipts.find(({ kind }) => kind === 'nodes')!
  const resign = (seed: Uint8Array) => parseReceipt(Buffer.from(signNote(own.note.text, signerOf(`${origin}/receipts`, seed))))
  const among = (receipt: ReturnType<typeof parseReceipt>) => ({
    receipts: [...shared.known.receipts.filter((one) => one !== own), receipt],
  })
  expect(await findFailed(nothing, () => among(resign(shared.receiptKey)))).toEqual([])
  expect(await findFailed(nothing, () => among(resign(new Uint8Array(32).fill(9))))).toEqual(['receipts'])
})
