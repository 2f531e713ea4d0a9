import path from 'node:path'
import { encodeEntry } from '#shared/register/entries.ts'
import { leafHash } from '#shared/register/tree.ts'
import { type Comparison, median } from '../Comparison.ts'
import { DEPOSIT_ADDRESS, type Parts, USDT_ADDRESS } from '../startParts.ts'
import { runCommand } from '../startProgram.ts'

const DAY = '2026-11-23'
const ENTRIES = 10_000
const SUPPLY = 20_000
/** Reservations per second, below what the machine can do: at its limit, anything moves the p99. */
const RATE = 150
const SECONDS = 8
const READERS = 1_000
const ROUNDS = 3

interface Sale {
  port: number
  reset: () => Promise<void>
}

/** Measures the p99 of reservations at a constant rate, alone and beside a thousand readers a second of the register's files. */
export async function measureReaders(parts: Parts, { port, reset }: Sale): Promise<Comparison> {
  await publish(parts)
  const [alone, beside]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    await reset()
    alone.push(await reserve(port))
    await reset()
    const reading = read(port)
    beside.push(await reserve(port))
    await reading
  }
  const [without, together] = [median(alone), median(beside)]
  return {
    subject: `p99 of reservations beside ${READERS.toLocaleString('en-US')} readers of the register per second`,
    measured: `${together.toFixed(1)} ms`,
    comparedWith: `without readers, ${without.toFixed(1)} ms`,
    ratio: together / without,
    goal: { bound: 'atMost', value: 1.1 },
  }
}

async function reserve(port: number): Promise<number> {
  const script = path.join(import.meta.dirname, 'sendReservations.ts')
  const sent = await runCommand(process.execPath, [script, String(port), '64', String(RATE * SECONDS), String(RATE)])
  const { p99, answers } = JSON.parse(sent) as { p99: number; answers: Record<string, number> }
  if (answers[201] !== RATE * SECONDS) throw new Error(`Some reservations failed: ${sent}`)
  return p99
}

async function read(port: number): Promise<void> {
  const script = path.join(import.meta.dirname, 'readFiles.ts')
  const read = await runCommand(process.execPath, [script, String(port), String(READERS), String(SECONDS), DAY])
  const { 200: whole = 0, 206: parts = 0 } = JSON.parse(read) as Record<string, number>
  if (whole + parts !== READERS * SECONDS) throw new Error(`Some files could not be read: ${read}`)
}

/** A log and a day of the size of a sold-out sale. Readers here verify nothing, so that only the first entry has to be one. */
async function publish({ database }: Parts): Promise<void> {
  const chain = { chainId: 56, address: USDT_ADDRESS.toLowerCase() as `0x${string}`, decimals: 18 }
  const key = new Uint8Array(33).fill(1)
  const text = encodeEntry({
    kind: 'genesis',
    time: new Date(),
    origin: 'nodes.example.com/register',
    clock: 'real',
    payment: chain,
    reward: { ...chain, address: DEPOSIT_ADDRESS },
    anchor: null,
    logKey: key,
    receiptKey: key,
  })
  await database.query(
    `insert into register_entries (index, kind, text, leaf_hash, appended_at) values (0, 'genesis', $1, $2, now()) on conflict do nothing`,
    [text, Buffer.from(leafHash(Buffer.from(text)))],
  )
  await database.query(
    `insert into register_entries (index, kind, text, leaf_hash, appended_at)
     select n, 'note', 'note', sha256(n::text::bytea), now() from generate_series(1, $1::int - 1) n on conflict do nothing`,
    [ENTRIES],
  )
  await database.query(
    `insert into register_days (day, supply, root, leaves, block_hashes)
     values ($1, $2::int, '', decode(repeat('00', 52 * $2::int), 'hex'), decode(repeat('00', 32 * 79), 'hex')) on conflict do nothing`,
    [DAY, SUPPLY],
  )
  await database.query(
    `insert into register_checkpoints (size, root, subtrees, note, created_at) values ($1, '', '', repeat('x', 200), now()) on conflict do nothing`,
    [ENTRIES],
  )
}
