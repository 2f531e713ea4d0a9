import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { best, type Check, type Comparison, perSecond } from '../Comparison.ts'
import { findTool } from '#api/testing/findTool.ts'
import { DEPOSIT_ADDRESS, type Parts } from '../startParts.ts'
import { runCommand } from '../startProgram.ts'
import { measureReaders } from './measureReaders.ts'
import { prepareBuyers, resetSale } from './prepareBuyers.ts'
import { reservationScript } from './reservationScript.ts'

const CLIENTS = 64
const BUYERS = CLIENTS * 500
/** pgbench is slower, so fewer buyers take the same time. */
const PGBENCH_BUYERS = CLIENTS * 100
const ROUNDS = 3
const SUPPLY = 20_000

interface Load {
  seconds: number
  answers: Record<string, number>
}

/**
 * Measures reservations over HTTP, compared with the same SQL in pgbench; a sale that sells out; and a sale beside readers of the public
 * register.
 */
export async function measureReservations(parts: Parts): Promise<(Comparison | Check)[]> {
  const { database } = parts
  const scriptFile = path.join(parts.folder, 'reserve.sql')
  writeFileSync(scriptFile, reservationScript({ clients: CLIENTS, depositAddress: DEPOSIT_ADDRESS }))
  // The first start also migrates the database.
  const web = await parts.startWeb()
  try {
    await prepareBuyers(parts, BUYERS)
    const reset = (supply: number) => resetSale(database, { buyers: BUYERS, supply })
    const product: number[] = []
    const bare: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await reset(BUYERS)
      bare.push(await runPgbench(parts, scriptFile))
      await requireReserved(parts, PGBENCH_BUYERS)
      await reset(BUYERS)
      const { seconds, answers } = await sendLoad(web.port)
      if (answers[201] !== BUYERS) throw new Error(`Some reservations failed: ${JSON.stringify(answers)}`)
      product.push(BUYERS / seconds)
      await requireReserved(parts, BUYERS)
    }
    await reset(SUPPLY)
    const { answers } = await sendLoad(web.port)
    const { reserved, held } = await readTotals(parts)
    const granted = answers[201] ?? 0
    const besideReaders = await measureReaders(parts, { port: web.port, reset: () => reset(BUYERS) })
    return [
      {
        subject: 'reservations by 64 buyers over HTTP',
        measured: perSecond(best(product)),
        comparedWith: `the same SQL through pgbench, ${perSecond(best(bare))}`,
        ratio: best(product) / best(bare),
        goal: { bound: 'atLeast', value: 1 },
      },
      {
        subject: `${SUPPLY.toLocaleString('en-US')} nodes sold out to 64 clients`,
        measured: `${granted} granted, ${answers[409] ?? 0} refused`,
        comparedWith: `supply row ${reserved}, held by purchases ${held}`,
        holds: [granted, reserved, held].every((total) => total === SUPPLY) && granted + (answers[409] ?? 0) === BUYERS,
      },
      ...besideReaders,
    ]
  } finally {
    await web.stop()
  }
}

async function sendLoad(port: number): Promise<Load> {
  const script = path.join(import.meta.dirname, 'sendReservations.ts')
  return JSON.parse(await runCommand(process.execPath, [script, String(port), String(CLIENTS), String(BUYERS)])) as Load
}

/** Returns the transactions per second. */
async function runPgbench({ postgres }: Parts, scriptFile: string): Promise<number> {
  const output = await runCommand(findTool('pgbench'), [
    '--no-vacuum',
    `--client=${CLIENTS}`,
    '--jobs=2',
    '--protocol=prepared',
    `--transactions=${PGBENCH_BUYERS / CLIENTS}`,
    '--define=i=0',
    `--file=${scriptFile}`,
    postgres.url,
  ])
  const [, rate] = /^tps = ([\d.]+)/m.exec(output) ?? []
  if (!rate || !output.includes('number of failed transactions: 0')) throw new Error(`pgbench failed:\n${output}`)
  return Number(rate)
}

async function requireReserved(parts: Parts, expected: number): Promise<void> {
  const { reserved, held } = await readTotals(parts)
  if (reserved !== expected || held !== expected) throw new Error(`Reserved ${reserved}, held ${held}, expected ${expected}.`)
}

async function readTotals({ database }: Parts): Promise<{ reserved: number; held: number }> {
  const { rows } = await database.query<{ reserved: number; held: number }>(
    'select reserved, (select coalesce(sum(held_quantity), 0)::int from purchases) as held from supply where id = 1',
  )
  return rows[0]!
}
