import path from 'node:path'
import pg from 'pg'
import { MikroORM } from '@mikro-orm/postgresql'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { fillLists } from '../adminLists/fillLists.ts'
import { type Check, type Comparison, median } from '../Comparison.ts'
import type { Parts } from '../startParts.ts'
import { runCommand } from '../startProgram.ts'
import type { WrittenRows } from './writeRows.ts'

const ROUNDS = 3
const QUICK_ROWS = 100_000
const FULL_ROWS = 1_000_000
const script = path.join(import.meta.dirname, 'writeRows.ts')

/** Measures a spreadsheet of withdrawals, compared with plain CSV, each in a separate process. */
export async function measureExports(
  { database, postgres }: Parts,
  { quick = false }: { quick?: boolean } = {},
): Promise<(Comparison | Check)[]> {
  await database.query('create database exports')
  const url = new URL(postgres.url)
  url.pathname = '/exports'
  const rowCount = quick ? QUICK_ROWS : FULL_ROWS
  try {
    const orm = new MikroORM(ormOptions({ url: url.href, poolSize: 1 }))
    await orm.migrator.up()
    await orm.close(true)
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    await fillLists(client, { users: rowCount / 2, purchases: 1, withdrawals: rowCount, deposits: 1 })
    await client.end()

    const write = async (way: 'product' | 'csv', rows: number) =>
      JSON.parse(await runCommand(process.execPath, [script, way, url.href, String(rows)])) as WrittenRows
    const runs: Record<'product' | 'csv', WrittenRows[]> = { product: [], csv: [] }
    for (let round = 0; round < ROUNDS; round += 1)
      for (const way of ['csv', 'product'] as const) runs[way].push(await write(way, QUICK_ROWS))
    const long = await write('product', rowCount)

    const took = (way: keyof typeof runs) => median(runs[way].map(({ milliseconds }) => milliseconds))
    const atMost = (value: number) => ({ bound: 'atMost' as const, value })
    const product = [...runs.product, long]
    const [grown, stall] = [Math.max(...product.map((run) => run.grownMiB)), median(runs.product.map((run) => run.stallMs))]
    const first = median(product.map(({ firstByteMs }) => firstByteMs))
    return [
      {
        subject: `${QUICK_ROWS.toLocaleString('en-US')} withdrawals as a spreadsheet`,
        measured: seconds(took('product')),
        comparedWith: `plain CSV, ${seconds(took('csv'))}`,
        ratio: took('product') / took('csv'),
        goal: atMost(3),
      },
      {
        subject: 'time to its first byte',
        measured: `${first.toFixed(1)} ms`,
        comparedWith: '100 ms',
        ratio: first / 100,
        goal: atMost(1),
      },
      {
        subject: 'its longest block of the event loop',
        measured: `${stall.toFixed(1)} ms`,
        comparedWith: '30 ms',
        ratio: stall / 30,
        goal: atMost(1),
      },
      {
        subject: `its additional memory, up to ${rowCount.toLocaleString('en-US')} rows`,
        measured: `${grown.toFixed(0)} MiB`,
        comparedWith: '64 MiB',
        ratio: grown / 64,
        goal: atMost(1),
      },
    ]
  } finally {
    await database.query('drop database exports with (force)')
  }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`
