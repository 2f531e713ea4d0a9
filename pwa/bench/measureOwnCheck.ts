import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { toBase64 } from '#shared/register/bytes.ts'
import { DayTree } from '#shared/register/dayTree.ts'
import { encodeEntry } from '#shared/register/entries.ts'
import { inLogFile } from '#shared/register/logFiles.ts'
import { freeLeaf } from '#shared/register/nodeLeaf.ts'
import { emailHash, nodeCommitment } from '#shared/register/secrets.ts'
import { BLOCK_SIZE, leafHash, rootOf } from '#shared/register/tree.ts'
import { numbers, rangesOf } from '#shared/register/values.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { answerFile, openToAll, type PublicFile, publicFile } from '#api/integrity/register/answerFile.ts'
import { signCheckpoint } from '#api/integrity/register/checkpoint.ts'
import { signerOf } from '#api/integrity/register/signedNotes.ts'
import { median } from '#api/stress/bench/Comparison.ts'
import { holder } from './measureHolder.ts'
import { throttle } from './throttle.ts'

const SUPPLY = 20_000
const ENTRIES = 100_000
/** Bought ten at a time. */
const NODES = 200
const CPU_SLOWDOWN = 4
const ROUNDS = 3
const RATE = 10n ** 19n
const DAY = '2026-11-23'

/** Milliseconds that a page takes to check 200 nodes of its holder by itself, with the register beside it: the median of three. */
export async function measureOwnCheck(executablePath: string, url: string): Promise<number> {
  const { files, answer } = makeRegister()
  const server = createServer((request, response) => {
    const file = files.get((request.url ?? '').replace('/register/', ''))
    if (file) answerFile(request, response, { ...file, common: openToAll })
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const waits: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const context = await browser.newContext({ baseURL: url, viewport: { width: 390, height: 844 }, serviceWorkers: 'block' })
      await context.request.post('/api/login', { data: holder })
      const page = await context.newPage()
      await page.route(/\/register\/(checkpoint|log\/|days\/)/, (route) =>
        route.continue({ url: site + new URL(route.request().url()).pathname }),
      )
      const tell = (path: string, json: object) => page.route(`**/api/register/${path}`, (route) => route.fulfill({ json }))
      await tell('days', { days: { first: DAY, last: DAY } })
      await tell('receipts?*', { receipts: [], more: false })
      await tell('day/**', answer)
      await throttle(await context.newCDPSession(page), { cpu: CPU_SLOWDOWN, latency: 0, bits: Number.POSITIVE_INFINITY })
      await page.goto('/')
      const begun = page.waitForRequest('**/api/register/day/**').then(() => performance.now())
      await page.getByRole('link', { name: `Verified on 23 Nov 2026: ${NODES} nodes` }).waitFor({ timeout: 60_000 })
      waits.push(performance.now() - (await begun))
      await context.close()
    }
    return median(waits)
  } finally {
    await browser.close()
    server.close()
  }
}

/** A full day at the end of a long log, of which the page reads a few entries, and what the site tells the holder. */
function makeRegister(): { files: Map<string, PublicFile>; answer: object } {
  const seed = randomBytes(32)
  const signer = signerOf('demo.example/register', seed)
  const chain = { chainId: 56, address: `0x${'5'.repeat(40)}`, decimals: 18 } as const
  const genesis = encodeEntry({
    kind: 'genesis',
    time: rewardInstant(DAY),
    origin: signer.name,
    // Its origin is not compared with the page's.
    clock: 'demo',
    payment: chain,
    reward: chain,
    anchor: null,
    logKey: signer.key,
    receiptKey: signer.key,
  })
  const secret = randomBytes(32)
  const owned = Array.from({ length: NODES }, (_, index) => 1 + (index % 10) + Math.floor(index / 10) * (SUPPLY / (NODES / 10)))
  const mine = new Set(owned)
  const tree = new DayTree()
  const leaves = Array.from({ length: SUPPLY }, (_, index) => {
    const number = index + 1
    if (!mine.has(number)) return tree.append(freeLeaf)
    const commitment = nodeCommitment({ secret, day: DAY, number, emailHash: emailHash(holder.email) })
    return tree.append({ state: 'active', kind: 'paid', commitment, earned: RATE })
  })
  const text = encodeEntry({
    kind: 'day',
    day: DAY,
    due: rewardInstant(DAY),
    paid: rewardInstant(DAY),
    rate: RATE,
    states: tree.states,
    kinds: tree.kinds,
    rewards: RATE * BigInt(NODES),
    corrected: 0n,
    earned: tree.earned,
    nodes: { size: SUPPLY, root: tree.root() },
  })
  const others = Array.from({ length: ENTRIES - 2 }, () => randomBytes(32))
  const hashes = [leafHash(Buffer.from(genesis)), ...others, leafHash(Buffer.from(text))]
  const blocks = Array.from({ length: Math.floor(ENTRIES / BLOCK_SIZE) }, (_, block) =>
    rootOf(hashes.slice(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE)),
  )
  const bytes = {
    checkpoint: Buffer.from(signCheckpoint({ origin: signer.name, size: ENTRIES, root: rootOf(hashes) }, signer)),
    'log/0.txt': Buffer.from(inLogFile(genesis) + inLogFile(text)),
    'log/hashes.bin': Buffer.concat(hashes),
    'log/blocks.bin': Buffer.concat(blocks),
    [`days/${DAY}.bin`]: Buffer.concat(leaves),
    [`days/${DAY}.hashes.bin`]: Buffer.from(tree.blockHashes()),
  }
  return {
    files: new Map(Object.entries(bytes).map(([name, file]) => [name, publicFile(file, 'application/octet-stream')])),
    answer: {
      secret: toBase64(secret),
      numbers: numbers.write(rangesOf(owned)),
      books: null,
      entries: [{ index: ENTRIES - 1, text, secret: null }],
      more: false,
    },
  }
}
