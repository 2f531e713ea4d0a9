import { expect, onTestFinished, test } from 'vitest'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { startServer } from '#api/testing/server.ts'
import { runWatcher } from './runWatcher.ts'

const database = useDatabase()

test('while no endpoint answers, the operator is alerted in the log and once by mail', async () => {
  const { services } = await startServer(database, { env: { ALERT_EMAIL: 'operator@example.com' } })
  await sql(services.orm.em.fork(), 'insert into chain_blocks (chain_id, number, hash, time) values ($1, 7, $2, $3)', [
    PAYMENT_CHAIN_ID,
    `0x${'7'.repeat(64)}`,
    new Date('2026-01-01T00:00:00Z'),
  ])
  const errors: string[] = []
  const watcher = runWatcher(services, {
    endpoints: [new RpcEndpoint('http://127.0.0.1:9', { chainId: PAYMENT_CHAIN_ID })],
    directUrl: database.url,
    onError: (error) => void errors.push(String(error)),
  })
  onTestFinished(() => watcher.stop())

  await expect.poll(() => mailsTo(database, 'operator@example.com')).toHaveLength(1)
  await watcher.stop()

  const [mail, ...others] = await mailsTo(database, 'operator@example.com')
  expect(others).toEqual([])
  expect(mail!.text).toContain('No block was read since 2026-01-01T00:00:00.000Z.')
  expect(errors.filter((error) => error.includes('ALERT'))).toEqual([expect.stringContaining('No block was read since')])
})
