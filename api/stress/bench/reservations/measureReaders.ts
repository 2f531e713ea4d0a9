import path from 'node:path'
import { freePort } from '#api/dev/freePort.ts'
import { startNginx } from '#api/testing/startNginx.ts'
import { encodeEntry } from '#shared/register/entries.ts'
import { leafHash } from '#shared/register/tree.ts'
import { type Comparison, median, perSecond } from '../Comparison.ts'
import { DEPOSIT_ADDRESS, type Parts, USDT_ADDRESS } from '../startParts.ts'
import { type Program, runCommand, startProgram } from '../startProgram.ts'

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

/**
 * Measures the p99 of reservations at a constant rate beside a thousand readers a second of the register's files.
 *
 * The readers are not part of the product but share the machine with it. So they are compared with the same readers of a server that
 * answers the same bytes from memory and does nothing else: once of the product itself, once of nginx before it, which keeps the days.
 */
export async function measureReaders(parts: Parts, { port, reset }: Sale): Promise<Comparison[]> {
  await publish(parts)
  const constants = await startConstants(port)
  const nginxPort = await freePort()
  const nginx = await startNginx({ port: nginxPort, targets: [port], folder: parts.folder })
  try {
    const waits: Record<Readers, number[]> = { none: [], constants: [], product: [], nginx: [] }
    const rates: number[] = []
    const readAt = { constants: constants.port, product: port, nginx: nginxPort }
    for (let round = 0; round < ROUNDS; round += 1)
      for (const readers of Object.keys(waits) as Readers[]) {
        await reset()
        const reading = readers === 'none' ? undefined : read(readAt[readers])
        waits[readers].push(await reserve(port))
        if (reading) rates.push(await reading)
      }
    const [none, bare] = [median(waits.none), median(waits.constants)]
    return (['product', 'nginx'] as const).map((readers) => ({
      subject: `p99 of reservations beside ${READERS.toLocaleString('en-US')} readers of the register per second${readers === 'nginx' ? ' through nginx' : ''}`,
      measured: `${median(waits[readers]).toFixed(1)} ms, at least ${perSecond(Math.min(...rates))} read`,
      comparedWith: `readers of constants, ${bare.toFixed(1)} ms (no readers, ${none.toFixed(1)} ms)`,
      ratio: median(waits[readers]) / bare,
      goal: { bound: 'atMost', value: 1.1 },
    }))
  } finally {
    await nginx.stop()
    await constants.stop()
    await unpublish(parts)
  }
}

type Readers = 'none' | 'constants' | 'product' | 'nginx'

/** Starts a server that answers what the product answers for these files, read from it once. */
async function startConstants(productPort: number): Promise<Program & { port: number }> {
  const port = await freePort()
  const script = path.join(import.meta.dirname, 'constantFilesServer.ts')
  return { port, ...(await startProgram(script, [String(port), String(productPort), DAY])) }
}

async function reserve(port: number): Promise<number> {
  const script = path.join(import.meta.dirname, 'sendReservations.ts')
  const sent = await runCommand(process.execPath, [script, String(port), '64', String(RATE * SECONDS), String(RATE)])
  const { p99, answers } = JSON.parse(sent) as { p99: number; answers: Record<string, number> }
  if (answers[201] !== RATE * SECONDS) throw new Error(`Some reservations failed: ${sent}`)
  return p99
}

/** @returns how many files were read per second. */
async function read(port: number): Promise<number> {
  const script = path.join(import.meta.dirname, 'readFiles.ts')
  const read = await runCommand(process.execPath, [script, String(port), String(READERS), String(SECONDS), DAY])
  const { 200: whole = 0, 206: parts = 0, seconds = 0 } = JSON.parse(read) as Record<string, number>
  if (whole + parts !== READERS * SECONDS) throw new Error(`Some files could not be read: ${read}`)
  return (whole + parts) / seconds
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

/** Removes what was invented here, which the audit of another measurement would find, past the triggers of these tables. */
async function unpublish({ database }: Parts): Promise<void> {
  await database.query('set session_replication_role = replica')
  await database.query('truncate register_entries, register_days, register_checkpoints')
  await database.query('reset session_replication_role')
}
