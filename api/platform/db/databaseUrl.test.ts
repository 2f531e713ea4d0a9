import { expect, test } from 'vitest'
import { isDatabaseUrl, readDatabaseUrl } from './databaseUrl.ts'

test('a URL names one host or several, of which the primary is meant unless it says otherwise', () => {
  expect(readDatabaseUrl('postgres://me:a%40b@db.example.com/xcr?sslmode=verify-full')).toEqual({
    hosts: [{ host: 'db.example.com', port: 5432 }],
    target: 'any',
    connectionString: 'postgres://me:a%40b@db.example.com/xcr?sslmode=verify-full',
  })
  expect(readDatabaseUrl('postgresql://me@db1:5433,[::1]:5434,10.0.0.1/xcr')).toEqual({
    hosts: [
      { host: 'db1', port: 5433 },
      { host: '::1', port: 5434 },
      { host: '10.0.0.1', port: 5432 },
    ],
    target: 'read-write',
    connectionString: 'postgresql://me@db1:5433/xcr',
  })
  expect(readDatabaseUrl('postgres://db1,db2/xcr?target_session_attrs=standby&sslmode=require')).toMatchObject({
    target: 'standby',
    connectionString: 'postgres://db1/xcr?sslmode=require',
  })
})

test.each([
  'https://db/xcr',
  'postgres://db1:x,db2/xcr',
  'postgres://,db2/xcr',
  'postgres://db1,db2/xcr?target_session_attrs=primary',
  'db1:5432/xcr',
])('%s is no URL of a database', (url) => {
  expect(isDatabaseUrl(url)).toBe(false)
})
