import path from 'node:path'
import type pg from 'pg'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { callChain } from '#api/dev/callChain.ts'
import { connectDevChain, REWARD_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { startChain } from '#api/dev/startChain.ts'
import { deployXcr } from '#api/dev/tokens.ts'
import type { Check } from '../Comparison.ts'
import { userIdOf } from '../reservations/prepareBuyers.ts'
import { startOwnDatabase } from '../startOwnDatabase.ts'
import type { Parts } from '../startParts.ts'
import { runCommand } from '../startProgram.ts'

const HOLDERS = 5_000
const NODES_EACH = 4
/** Most of a long log is deposits; these are small ones, of which each has an entry. */
const SMALL_DEPOSITS = 95_000
/** V8 lets new objects take more memory on a machine that has more, 134 MB of 24 GB, before it collects them. This is its least maximum. */
const nodeOptions = ['--expose-gc', '--max-semi-space-size=16']
const MAX_SECONDS = 3
const MAX_MEMORY = 128 * 2 ** 20

interface Outcome {
  /** Of the publishing process. */
  cpu: number
  /** Of the database's processes that worked for it. */
  server: number
  seconds: number
  memory: number
}

/** Measures the publication of one day when everything is sold and the log is long. */
export async function measureRegister(parts: Parts): Promise<Check[]> {
  const database = await startOwnDatabase(parts, 'register')
  const chain = await startChain({ chainId: REWARD_CHAIN_ID, mining: 'instant' })
  try {
    await database.stop()
    const key = generatePrivateKey()
    const token = await deployXcr(connectDevChain(chain.url, REWARD_CHAIN_ID), privateKeyToAccount(generatePrivateKey()))
    for (const url of [chain.url, parts.chain.url]) await callChain(url, 'anvil_mine', ['0x10'])
    await fillSale(database.client)
    const env = {
      ...database.env,
      NODE_ENV: 'development',
      XCR_RPC_URLS: chain.url,
      XCR_TOKEN_ADDRESS: token,
      PAYOUT_PRIVATE_KEY: key,
      REGISTER: 'on',
      REGISTER_SIGNING_KEY: '44'.repeat(32),
      RECEIPT_SIGNING_KEY: '55'.repeat(32),
      PUSH: 'off',
    }
    const publish = async (...given: string[]): Promise<Outcome> =>
      JSON.parse(
        await runCommand(process.execPath, [...nodeOptions, path.join(import.meta.dirname, 'publishDay.ts'), ...given], { env }),
      )
    await publish('2', '--first')
    const { cpu, server, seconds, memory } = await publish('3')
    const { rows } = await database.client.query<{ entries: number; leaves: number }>(
      'select (select count(*)::int from register_entries) as entries, (select supply from register_days order by day desc limit 1) as leaves',
    )
    const { entries, leaves } = rows[0]!
    return [
      {
        subject: `a day of the register with ${leaves.toLocaleString('en-US')} nodes and ${entries.toLocaleString('en-US')} entries`,
        measured: `${cpu.toFixed(1)} s of a core, PostgreSQL ${server.toFixed(1)} s, ${seconds.toFixed(1)} s by the clock, ${Math.round(memory / 2 ** 20)} MiB`,
        comparedWith: `at most ${MAX_SECONDS} s of a core and ${MAX_MEMORY / 2 ** 20} MiB`,
        holds: cpu <= MAX_SECONDS && memory <= MAX_MEMORY && entries >= 100_000,
      },
    ]
  } finally {
    await chain.stop()
    await database.close()
  }
}

/** Sold nodes with their payments, and small deposits of strangers. */
async function fillSale(database: pg.Client): Promise<void> {
  const run = (text: string, parameters: unknown[] = []) => database.query(text, parameters)
  await run(
    `insert into users (id, email, password_hash, created_at)
     select ${userIdOf('n')}, n || '@example.com', '-', now() from generate_series(1, $1::int) n`,
    [HOLDERS],
  )
  await run(
    `insert into purchases (id, user_id, status, requested_quantity, final_quantity, unit_price, amount, created_at, opened_at, confirmed_at, closed_at)
     select ${userIdOf('n')}, ${userIdOf('n')}, 'confirmed', $2::int, $2, 3e18, 3e18 * $2, now(), now(), now(), now() from generate_series(1, $1::int) n`,
    [HOLDERS, NODES_EACH],
  )
  await run(
    `insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from)
     select (n - 1) * $2::int + i, ${userIdOf('n')}, ${userIdOf('n')}, 'paid', now(), now() from generate_series(1, $1::int) n, generate_series(1, $2::int) i`,
    [HOLDERS, NODES_EACH],
  )
  await run(
    `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, block_number, block_hash, block_time, log_index,
       state, purchase_id, user_id, first_seen_at, closed_at)
     select gen_random_uuid(), 56, '0x' || lpad(to_hex(n), 64, '0'), 0, '0x' || repeat('ab', 20), '0x' || repeat('cd', 20),
       case when n <= $1 then 3e18 * $3 else 1e17 end, n, '0x' || lpad(to_hex(n), 64, '0'), now(), 0,
       case when n <= $1 then 'matched' else 'ignored' end, case when n <= $1 then ${userIdOf('n')} end,
       case when n <= $1 then ${userIdOf('n')} end, now(), now()
     from generate_series(1, $1::int + $2::int) n`,
    [HOLDERS, SMALL_DEPOSITS, NODES_EACH],
  )
  await run('update supply set total = $1, paid = $1', [HOLDERS * NODES_EACH])
  await run('analyze')
}
