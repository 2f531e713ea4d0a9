import { MikroORM } from '@mikro-orm/postgresql'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { DAY } from '#shared/dates.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { archiveMonths } from '#api/integrity/archive/archiveMonths.ts'
import { sql } from '#api/platform/db/sql.ts'
import { findDifferences } from '#api/testing/findDifferences.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { buy, knowledgeOf, withdraw } from '#api/testing/registerHolders.ts'
import { startRegister } from '#api/testing/registerWorld.ts'

test('the register goes on after a month was archived and dropped, and the independent verifier confirms it and a whole account', async () => {
  const world = await startRegister({ env: { TOTAL_NODE_SUPPLY: '500' } })
  const { services, clock } = world.server
  const folder = mkdtempSync(path.join(os.tmpdir(), 'archive-'))
  onCleanup(() => rmSync(folder, { recursive: true }))
  const owner = new MikroORM(ormOptions({ url: world.database.ownerUrl, poolSize: 4 }))
  onCleanup(() => owner.close(true))
  await world.publish()
  const holder = await world.openBuyer({ usdt: '3000' })
  const transfers = [await buy(world, holder, 400)]
  await world.payDay()
  await world.publish()
  await world.payDay()
  const messages = [await withdraw(world, holder, '3000')]
  await world.payOut()
  // Into another month, whatever the day is.
  clock.advanceProduct(31 * DAY)
  await world.payDay()
  await world.publish()
  const before = await world.entries()

  const productNow = clock.productNow()
  const archived = await archiveMonths(owner, {
    folder,
    drop: true,
    at: { now: clock.now(), productNow },
    keptMonths: 0,
    actor: 'operator:test',
    onProgress: () => undefined,
  })
  expect(archived.length).toBeGreaterThanOrEqual(2)
  expect(await sql(services.orm.em.fork(), `select from ledger_entries where cause like 'withdrawal:%'`)).toEqual([])

  expect(await world.problems()).toEqual({})
  const day = await world.payDay()
  await world.publish()
  expect((await world.entries()).slice(0, before.length)).toEqual(before)
  expect(await world.problems()).toEqual({})
  const known = await knowledgeOf(world, holder, day)
  const report = await world.verify({ account: { ...known, transfers, messages } }, 'account')
  expect([report.named('failed'), report.named('unknown')]).toEqual([[], []])
  expect(report.named('ok')).toEqual(expect.arrayContaining(['nodes', 'rewards', 'balance', 'deposits', 'payouts', 'receipts']))
  expect(await findDifferences(services.orm)).toEqual([])
})
