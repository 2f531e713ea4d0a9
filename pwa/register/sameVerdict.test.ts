import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccountOptions, leafHash, parseReceipt, rootOf, verify } from '#api/integrity/register/verify.mjs'
import vectors from '#api/integrity/register/vectors/vectors.json' with { type: 'json' }
import type { Hex } from '#shared/register/values.ts'
import { findTool, hasTool } from '#api/testing/findTool.ts'
import { toldBy } from '#api/testing/exampleRegister.ts'
import { serveRegister } from '#api/testing/serveRegister.ts'
import { openerOfKeys } from '#pwa/testing/openerOfKeys.ts'
import type { AccountFacts } from './AccountFacts.ts'
import { Chains } from './Chains.ts'
import { RegisterFiles } from './RegisterFiles.ts'
import { accountTicks, publicTicks } from './Report.ts'
import { Rpc } from './Rpc.ts'
import { verifyRegister } from './verifyRegister.ts'

/** Each has seven days; 143 of them are a thousand days. */
const LOGS = Number(process.env.REGISTER_LOGS ?? 10)

const { log } = vectors
const notes: Record<string, string> = vectors.receipts.notes
const days = Object.keys(log.leaves)
const knownLeaves: Record<string, Record<string, string>> = log.leaves
const FREE = `01${'00'.repeat(51)}`
const RATE = 2_000n * 10n ** 18n
const genesis = Buffer.from(log.hashes[0]!, 'hex').toString('base64')

type Leaves = Record<string, Record<string, string | null>>

let example: Awaited<ReturnType<typeof serveRegister>>
beforeAll(async () => {
  example = await serveRegister()
})
afterAll(() => example.close())

/** The generator of pseudorandom numbers Mulberry32. */
class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }
}

function changeLeaf(leaf: string, random: Random): string {
  const bytes = Buffer.from(leaf, 'hex')
  const addEarned = (change: bigint) => {
    const earned = BigInt(`0x${bytes.toString('hex', 36)}`) + change
    bytes.write((earned < 0n ? 0n : earned).toString(16).padStart(32, '0'), 36, 'hex')
  }
  const changes = [
    () => (bytes[1] = random.below(4)),
    () => (bytes[2] = random.below(4)),
    () => (bytes[4 + random.below(32)]! ^= 1 << random.below(8)),
    () => addEarned(random.pick([1n, -1n, RATE, -RATE])),
    () => bytes.write(FREE, 'hex'),
  ]
  random.pick(changes)()
  return bytes.toString('hex')
}

/** Changes one line of an entry: a number in it, or its value into that of another line of this name, or into nothing. */
function changeLine(text: string, entries: readonly string[], random: Random): string {
  const lines = text.split('\n')
  const at = 1 + random.below(lines.length - 2)
  const name = lines[at]!.split(' ')[0]!
  const value = lines[at]!.slice(name.length + 1)
  const alike = entries.flatMap((entry) => entry.split('\n')).filter((line) => line.startsWith(`${name} `))
  const changed = random.pick([
    value.replace(/\d+/, (digits) => String(BigInt(digits) + 1n)),
    value.replace(/\d+(?!.*\d)/, (digits) => String(BigInt(digits) + 1n)),
    random.pick(alike).slice(name.length + 1),
    '-',
  ])
  return lines.with(at, `${name} ${changed}`).join('\n')
}

/** A day's entry with the root of its leaves, and with their counts and sum. */
function fitToLeaves(text: string, leaves: Record<string, Record<string, string>>, withSums: boolean): string {
  const ofDay = leaves[/^day\/v1\nday (.*)$/m.exec(text)?.[1] ?? '']
  if (!ofDay) return text
  const tree = Array.from({ length: log.supply }, (_, index) => Buffer.from(ofDay[index + 1] ?? FREE, 'hex'))
  const rooted = text.replace(/^nodes (\d+) .*$/m, `nodes $1 ${rootOf(tree.map(leafHash)).toString('base64')}`)
  if (!withSums) return rooted
  const count = (position: number) =>
    [0, 1, 2, 3].map((value) => tree.filter((leaf) => leaf[position] === value).length).join(' ')
  const earned = tree.reduce((sum, leaf) => sum + BigInt(`0x${leaf.toString('hex', 36)}`), 0n)
  return rooted
    .replace(/^states .*$/m, `states ${count(1)}`)
    .replace(/^kinds .*$/m, `kinds ${count(2)}`)
    .replace(/^earned .*$/m, `earned ${earned}`)
}

/** The example with up to three changes of leaves and entries. */
function generateLog(seed: number) {
  const random = new Random(seed)
  const leaves: Leaves = {}
  let entries = [...log.entries]
  const what: string[] = []
  const changes = [
    () => {
      const number = String(1 + random.below(24))
      const first = random.below(days.length)
      for (const day of random.pick([days.slice(first), [days[first]!]]))
        leaves[day] = {
          ...leaves[day],
          [number]: changeLeaf(leaves[day]?.[number] ?? knownLeaves[day]![number] ?? FREE, new Random(seed)),
        }
      what.push(`leaf ${number} from ${days[first]} on`)
    },
    (at: number) => {
      entries = entries.with(at, changeLine(entries[at]!, entries, random))
      what.push(`entry ${at} changed: ${entries[at]}`)
    },
    (at: number) => {
      what.push(`without entry ${at}: ${entries[at]}`)
      entries = entries.toSpliced(at, 1)
    },
    (at: number) => {
      what.push(`entry ${at} later: ${entries[at]}`)
      entries = entries.toSpliced(at, 2, ...entries.slice(at, at + 2).toReversed())
    },
    (at: number) => {
      what.push(`entry ${at} twice: ${entries[at]}`)
      entries = entries.toSpliced(at + random.below(entries.length - at), 0, entries[at]!)
    },
  ]
  for (let left = random.below(4); left > 0; left--) random.pick(changes)(1 + random.below(entries.length - 1))
  const lie = { what: what.join('; '), tick: '', leaves }
  const told = toldBy({ ...lie, allEntries: entries })
  const fitted = entries.map((text) => fitToLeaves(text, told.leaves, random.below(3) > 0))
  return { what: lie.what, told: toldBy({ ...lie, allEntries: fitted }) }
}

const rpcAt = (name: 'payment' | 'reward') =>
  new Rpc(async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${example.site}/${name}`, { method: 'POST', body })
    return (await response.json()).result
  })

/** What a holder knows, the wallet included from which the example's payments came. */
function holding(index: number) {
  const { proofKey, email, receipts, withdrawals, transfers, balance } = log.holders[index]!
  return {
    key: Buffer.from(proofKey, 'hex'),
    notes: receipts.map((name) => notes[name]!),
    common: {
      email,
      transfers,
      messages: withdrawals.map(({ message }) => message),
      wallets: ['0x00000000000000000000000000000000005e4de1'] satisfies Hex[],
    },
    balance: BigInt(balance),
  }
}

function factsOf(index: number): AccountFacts {
  const { key, notes: receipts, common, balance } = holding(index)
  return { ...common, opener: openerOfKeys([Uint8Array.from(key)]), receipts, books: { balance, debt: 0n } }
}

function optionsOf(index: number): AccountOptions {
  const { key, notes: receipts, common, balance } = holding(index)
  return { ...common, keys: [key], receipts: receipts.map((note) => parseReceipt(Buffer.from(note))), balance }
}

async function verifyInPage(now: number, account?: AccountFacts): Promise<string[]> {
  const chains = new Chains()
  chains.add(56, rpcAt('payment'))
  chains.add(20250217, rpcAt('reward'))
  const { report } = await verifyRegister({
    files: new RegisterFiles(example.site),
    chains,
    now: new Date(now),
    host: 'nodes.example.com',
    genesis,
    account,
  })
  return report.named('failed')
}

/** The failed ticks of each log by the Python implementation. */
function verifyInPython(logs: readonly unknown[]): string[][] {
  const vectorsFolder = path.resolve(import.meta.dirname, '../../api/integrity/register/vectors')
  const file = (name: string) => path.join(vectorsFolder, name)
  const { stdout, stderr } = spawnSync(findTool('python3'), [file('check.py'), file('vectors.json'), 'verdicts'], {
    input: logs.map((told) => JSON.stringify(told)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  expect(stderr).toBe('')
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test.skipIf(!hasTool('python3'))(
  'page, verify.mjs and Python give the same verdict on generated days (skipped without python3)',
  async () => {
    const logs = Array.from({ length: LOGS }, (_, index) => generateLog(index * 7919))
    const byPython = verifyInPython(logs.map(({ told }) => told))
    const sound = new Set<boolean>()
    const differences: object[] = []
    for (const [index, { told, what }] of logs.entries()) {
      example.tell(told)
      const file = inOrder((await verify('all', { ...example.options(), genesis })).named('failed'))
      const page = inOrder(await verifyInPage(told.now))
      const python = byPython[index]!
      // Python checks no signatures, and names fewer equations where one change breaks several.
      const isSound = page.every((tick) => tick === 'signature')
      if (page.join() !== file.join() || isSound !== (python.length === 0)) differences.push({ what, file, page, python })
      sound.add(isSound)
    }
    expect(differences).toEqual([])
    // Both verdicts occur.
    expect(sound).toEqual(new Set([true, false]))
  },
  LOGS * 10_000,
)

test(
  'page and verify.mjs give the same verdict to a holder on generated days',
  async () => {
    const differences: object[] = []
    const verdicts = new Set<string>()
    for (let index = 0; index < LOGS / 2; index++) {
      const { told, what } = generateLog(index * 7919)
      example.tell(told)
      const holder = index % 2
      const options = { ...example.options(), genesis, account: optionsOf(holder) }
      const file = inOrder((await verify('account', options)).named('failed'))
      const page = inOrder(await verifyInPage(told.now, factsOf(holder)))
      if (page.join() !== file.join()) differences.push({ what, holder, file, page })
      for (const tick of file) verdicts.add(tick)
    }
    expect(differences).toEqual([])
    // The example's wallet also paid for the other holder, which both take for a deposit given away.
    expect(verdicts).toContain('deposits')
  },
  LOGS * 10_000,
)

const inOrder = (ticks: readonly string[]) => [...publicTicks, ...accountTicks].filter((tick) => ticks.includes(tick))
