import { expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { describeError } from './describeError.ts'
import { useDatabase } from '#api/testing/database.ts'
import { testConfig } from '#api/testing/testConfig.ts'

const database = useDatabase()

const config = testConfig({
  DATABASE_URL: 'postgres://xcr:pass%2Fword@db.example/xcr',
  SMTP_URL: 'smtps://robot:mailword@mail.example',
  BSC_RPC_URLS: 'https://bsc.example/v1/rpckey123?token=second456',
  CAPTCHA_SECRET_KEY: 'turnstile-secret',
})

test('rows that the database quotes in an error are removed, the error itself is logged', async () => {
  const statement = `insert into users (id, email, password_hash, created_at) values (null, 'person@example.com', $1, now())`
  const error: unknown = await sql(database.orm.em.fork(), statement, ['$argon2id$secret']).catch((error: unknown) => error)
  expect((error as { detail: string }).detail).toContain('$argon2id$secret')

  const text = describeError(new Error('It could not be stored.', { cause: error }), config)

  expect(text).toContain('It could not be stored.')
  expect(text).toContain('null value in column "id"')
  expect(text).not.toContain('$argon2id$secret')
  expect(text).not.toContain('person@example.com')
})

test('secrets of the configuration are removed wherever an error quotes them', () => {
  const secrets = [
    'pass%2Fword',
    'pass/word',
    'mailword',
    'rpckey123',
    'second456',
    'turnstile-secret',
    '11'.repeat(32),
    '22'.repeat(32),
  ]
  const quoting = `Request to ${config.BSC_RPC_URLS[0]} failed; ${config.SMTP_URL} ${config.DATABASE_URL} 0x${config.PAYOUT_PRIVATE_KEY}`
  const error = Object.assign(new AggregateError([new Error(quoting)], secrets.join(' ')), { url: config.BSC_RPC_URLS[0] })

  const text = describeError(error, config)

  for (const secret of secrets) expect(text, secret).not.toContain(secret)
  expect(text).toContain('bsc.example')
})
