import { hexToBytes } from '@noble/hashes/utils.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toBase64 } from '#shared/register/bytes.ts'
import { type Hex, numbers } from '#shared/register/values.ts'
import vectors from '#api/integrity/register/vectors/vectors.json' with { type: 'json' }
import { type Lie, siteLies, toldBy, truth } from '#api/testing/exampleRegister.ts'
import { serveRegister } from '#api/testing/serveRegister.ts'
import { openerOfKeys } from '#pwa/testing/openerOfKeys.ts'
import type { AccountFacts } from './AccountFacts.ts'
import { Chains } from './Chains.ts'
import { RegisterFiles } from './RegisterFiles.ts'
import { Rpc } from './Rpc.ts'
import { type VerifyOptions, verifyRegister } from './verifyRegister.ts'

interface HolderLie extends Lie {
  holder?: number
  balance?: string
  receipts?: Record<string, string | null>
}

const { log } = vectors
const lies: HolderLie[] = log.lies
const holderLies: HolderLie[] = log.holderLies
const notes: Record<string, string> = vectors.receipts.notes
const genesis = toBase64(hexToBytes(log.hashes[0]!))

let example: Awaited<ReturnType<typeof serveRegister>>
beforeAll(async () => {
  example = await serveRegister()
})
afterAll(() => example.close())

const rpcAt = (url: string) =>
  new Rpc(async (method, params) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
    return (await response.json()).result
  })

/** Both chains of the example. */
function bothChains(): Chains {
  const chains = new Chains()
  chains.add(56, rpcAt(`${example.site}/payment`))
  chains.add(20250217, rpcAt(`${example.site}/reward`))
  return chains
}

/** What a holder of the example knows, with what a lie changes of it. */
function holding(index: number, lie?: HolderLie): AccountFacts {
  const holder = log.holders[index]!
  const known = Object.fromEntries(holder.receipts.map((name): [string, string | null] => [name, notes[name]!]))
  return {
    opener: openerOfKeys([hexToBytes(holder.proofKey)]),
    email: holder.email,
    receipts: Object.values({ ...known, ...lie?.receipts }).filter((note) => note !== null),
    messages: holder.withdrawals.map(({ message }) => message),
    transfers: holder.transfers,
    numbers: numbers.read(holder.numbers),
    books: { balance: BigInt(lie?.balance ?? holder.balance), debt: 0n },
  }
}

async function verify(options: Partial<VerifyOptions> = {}) {
  const { now } = example.options()
  const verified = await verifyRegister({
    files: new RegisterFiles(example.site),
    chains: bothChains(),
    now: new Date(now),
    host: 'nodes.example.com',
    genesis,
    ...options,
  })
  const { report } = verified
  return { ...verified, failed: report.named('failed'), unknown: report.named('unknown'), nothing: report.named('nothing') }
}

test('the example log verifies', async () => {
  example.tell(truth())
  const { failed, unknown, nothing } = await verify()
  expect({ failed, unknown, nothing }).toEqual({ failed: [], unknown: [], nothing: ['growth', 'release'] })
})

test.each([0, 1])('holder %i of the example verifies', async (index) => {
  example.tell(truth())
  const { failed, unknown, nothing, earned } = await verify({ account: holding(index) })
  expect({ failed, unknown }).toEqual({ failed: [], unknown: [] })
  expect(nothing).toEqual(['growth', 'release', ...(index === 1 ? ['payouts'] : [])])
  expect([...earned.values()].reduce((sum, one) => sum + one, 0n)).toBe(BigInt(log.holders[index]!.earned))
})

test('each lie to everybody fails with its tick', async () => {
  const missed: string[] = []
  for (const lie of lies) {
    example.tell(toldBy(lie))
    const { failed } = await verify()
    if (!failed.includes(lie.tick as never)) missed.push(`${lie.what}: ${failed.join()} instead of ${lie.tick}`)
  }
  expect(missed).toEqual([])
})

test('each lie of the site to a device that has seen its log fails with its tick', async () => {
  example.tell(truth())
  const { seen } = await verify()
  const missed: string[] = []
  for (const lie of siteLies) {
    example.tell(toldBy(lie))
    const { failed } = await verify({ seen })
    if (!failed.includes(lie.tick as never)) missed.push(`${lie.what}: ${failed.join()} instead of ${lie.tick}`)
  }
  expect(missed).toEqual([])
})

test('each lie to one holder fails with its tick', async () => {
  const missed: string[] = []
  for (const lie of holderLies) {
    example.tell(toldBy(lie))
    const { failed } = await verify({ account: holding(lie.holder ?? 0, lie) })
    if (!failed.includes(lie.tick as never)) missed.push(`${lie.what}: ${failed.join()} instead of ${lie.tick}`)
  }
  expect(missed).toEqual([])
})

test('a lie of one cause fails with one tick', async () => {
  const single = ['a rate changed without notice', 'a deposit hidden', 'bonus beyond the rule', 'owed one unit less']
  for (const lie of lies.filter(({ what }) => single.includes(what))) {
    example.tell(toldBy(lie))
    expect((await verify()).failed, lie.what).toEqual([lie.tick])
  }
})

test('payments are also found by the wallets that sent them', async () => {
  const wallets: Hex[] = ['0x00000000000000000000000000000000005e4de1']
  const known = { ...holding(0), receipts: [], transfers: [], wallets }
  example.tell(truth())
  const { failed, report } = await verify({ account: known })
  // The example's chain has one sender for the payments of both holders.
  expect(failed).toEqual(['receipts', 'deposits'])
  expect(report.ticks.get('deposits')?.detail).toContain('counted for another account')
  example.tell(toldBy(lies.find(({ what }) => what === 'a deposit hidden')!))
  expect((await verify({ account: known })).failed).toContain('deposits')
})

test.each([
  ['2026-11-23', []],
  ['2026-11-26', ['balance']],
])('a site that does not show what opens %s proves neither nodes nor rewards', async (hidden, more) => {
  example.tell(truth())
  const { opener, ...known } = holding(0)
  const day: typeof opener.day = (date) => (date === hidden ? [] : opener.day(date))
  const { failed, unknown } = await verify({ account: { ...known, numbers: [], opener: { ...opener, day } } })
  expect({ failed, unknown }).toEqual({ failed: [], unknown: ['nodes', 'rewards', ...more] })
})

test('of nodes that only wait there are no rewards to verify yet', async () => {
  const size = log.entries.findIndex((text) => text.startsWith('books/v1\nday 2026-11-21')) + 1
  const told = toldBy({ what: '', tick: '', leaves: {}, allEntries: log.entries.slice(0, size) })
  example.tell(told)
  const { report } = await verify({ account: { ...holding(0), numbers: [], receipts: [notes.nodes!] } })
  expect([report.ticks.get('nodes')?.outcome, report.ticks.get('rewards')?.outcome]).toEqual(['ok', 'nothing'])
})

test('receipts of two accounts fail without the key of either', async () => {
  const { opener, ...known } = holding(0)
  const withoutKey = { ...opener, accounts: undefined }
  example.tell(truth())
  expect((await verify({ account: { ...known, opener: withoutKey } })).failed).toEqual([])
  const lie = holderLies.find(({ what }) => what === 'a receipt of another account')!
  example.tell(toldBy(lie))
  expect((await verify({ account: { ...holding(0, lie), opener: withoutKey } })).failed).toEqual(['receipts'])
})

test('a signed withdrawal that the books had no time to contain is no failure', async () => {
  const books = log.entries.findLast((text) => text.startsWith('books/'))!
  const at = (minutes: number) => new Date(Date.parse(/^time (.*)$/m.exec(books)![1]!) - minutes * 60_000).toISOString()
  const message = (minutes: number) => log.holders[0]!.withdrawals[0]!.message.replace(/Time: \S+/, `Time: ${at(minutes)}`)
  example.tell(truth())
  const holder = holding(0)
  const late = await verify({ account: { ...holder, messages: [...holder.messages!, message(10)] } })
  expect([late.failed, late.report.ticks.get('payouts')?.outcome]).toEqual([[], 'nothing'])
  const due = await verify({ account: { ...holder, messages: [...holder.messages!, message(11)] } })
  expect(due.failed).toEqual(['payouts'])
})

test('another genesis than that of the receipts fails the signature', async () => {
  example.tell(truth())
  expect((await verify({ genesis: toBase64(new Uint8Array(32)) })).failed).toEqual(['signature'])
})

test('a register of another site fails the signature, unless it is that of a demo', async () => {
  example.tell(truth())
  expect((await verify({ host: 'other.example' })).failed).toEqual(['signature'])
  expect((await verify({ host: 'nodes.example.com:8443' })).failed).toEqual(['signature'])
  const [first = '', ...others] = log.entries
  const demo = { ...truth(), entries: [first.replace('clock real', 'clock demo'), ...others] }
  example.tell(demo)
  // Everything that was signed for the other first entry fails; its origin does not.
  const { report } = await verify({ host: '127.0.0.1:3000', genesis: undefined })
  expect(report.ticks.get('signature')?.detail).not.toContain('the register of')
})

test('a site that answers that it has no register is believed only by who knows of none', async () => {
  example.tell(truth())
  const { seen } = await verify()
  const hide = (status: number) =>
    example.override('/register/checkpoint', (_, response) => {
      response.statusCode = status
      response.end()
    })
  hide(404)
  const first = await verify({ genesis: undefined })
  expect({ failed: first.failed, ok: first.report.named('ok'), isPublished: first.report.isPublished }).toEqual({
    failed: [],
    ok: [],
    isPublished: false,
  })
  expect((await verify({ seen, genesis: undefined })).failed).toEqual(['growth'])
  expect((await verify({ genesis })).failed).toEqual(['signature'])
  // No answer is none, and says nothing.
  hide(503)
  const silent = await verify({ seen })
  expect({ failed: silent.failed, isPublished: silent.report.isPublished }).toEqual({ failed: [], isPublished: true })
})

test('a log that was cut or forked since the last visit fails growth', async () => {
  example.tell(truth())
  const { seen } = await verify()
  expect(seen).toMatchObject({ genesis, size: log.entries.length, root: log.root })
  expect((await verify({ seen })).report.ticks.get('growth')?.outcome).toBe('ok')
  expect((await verify({ seen: { ...seen!, root: genesis } })).failed).toEqual(['growth'])
  expect((await verify({ seen: { ...seen!, size: seen!.size + 1 } })).failed).toEqual(['growth'])
})

test('anchors beyond the log, of another root or out of order fail', async () => {
  const { anchors } = truth()
  const last = anchors.at(-1)!
  for (const lie of [
    [...anchors, { ...last, size: 48 }],
    [...anchors.slice(0, -1), { ...last, root: '00'.repeat(32) }],
    [last, ...anchors],
  ]) {
    example.tell({ ...truth(), anchors: lie })
    expect((await verify()).failed).toContain('anchors')
  }
})

test('a log that nobody anchors any more is not fresh', async () => {
  example.tell({ ...truth(), now: Date.parse('2026-11-28T00:00:00.000Z') })
  expect((await verify()).failed).toEqual(['fresh'])
})

test('the first books may wait a while for their anchor, which is not green', async () => {
  const { entries } = log
  const size = entries.findIndex((text) => text.startsWith('books/')) + 1
  const at = Date.parse(/\ntime (\S+)\n/.exec(entries[size - 1]!)![1]!)
  const freshAt = async (hours: number) => {
    const told = toldBy({ what: '', tick: '', leaves: {}, allEntries: entries.slice(0, size) })
    example.tell({ ...told, anchors: [], now: at + hours * 3_600_000 })
    const { ticks } = (await verify()).report
    expect(ticks.get('anchors')?.outcome).toBe('nothing')
    return ticks.get('fresh')?.outcome
  }
  expect(await freshAt(1)).toBe('nothing')
  expect(await freshAt(36)).toBe('failed')
})

test("the seller's own node does not prove an anchor", async () => {
  example.tell(truth())
  const chains = new Chains()
  chains.add(56, rpcAt(`${example.site}/payment`), { isSellers: true })
  const { failed, unknown } = await verify({ chains })
  expect({ failed, unknown }).toEqual({ failed: [], unknown: ['anchors', 'days', 'fresh', 'notice', 'E6', 'E7'] })
})

test.each([
  ['missing', 503, 'text/plain'],
  ["a proxy's page", 200, 'text/html; charset=utf-8'],
])('an answer that is %s makes ticks unknown, and none fails', async (_, status, type) => {
  for (const path of ['checkpoint', 'log/hashes.bin', 'log/0.txt', 'days/2026-11-20.bin']) {
    example.tell(truth())
    example.override(`/register/${path}`, (_request, response) => {
      response.writeHead(status, { 'content-type': type }).end('<h1>Please log in to this network</h1>')
    })
    const { failed, unknown, report } = await verify()
    expect(failed, path).toEqual([])
    expect(unknown.length, path).toBeGreaterThan(0)
    expect(report.named('ok'), path).toEqual([])
  }
})

test('a checkpoint that is too long fails the signature', async () => {
  example.tell(truth())
  example.override('/register/checkpoint', (_, response) => void response.end('x'.repeat(5_000)))
  expect((await verify()).failed).toEqual(['signature'])
})
