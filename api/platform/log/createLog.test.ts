import { expect, test } from 'vitest'
import type { Config } from '../config.ts'
import { testConfig } from '#api/testing/testConfig.ts'
import { createLog } from './createLog.ts'

function setup(changes: Partial<Config> = {}) {
  const lines: string[] = []
  const config = { ...testConfig({ DATABASE_URL: 'postgres://xcr:hunter22@db/xcr' }), ...changes }
  const log = createLog({ config, role: 'web', write: (line) => void lines.push(line) })
  return { log, lines, config, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

test('production logs are one JSON object per line, whatever the message contains', () => {
  const { log, records } = setup({ production: true })
  log.info('two\nlines', { requestId: 'r1', absent: undefined })
  log.error(new TypeError('no\nway'), { route: '/api/x' })
  expect(records()).toEqual([
    { time: expect.any(String), level: 'info', role: 'web', message: 'two\nlines', requestId: 'r1' },
    {
      time: expect.any(String),
      level: 'error',
      role: 'web',
      message: 'no\nway',
      route: '/api/x',
      error: expect.stringContaining('createLog.test.ts'),
    },
  ])
})

test('neither secrets nor rows quoted by PostgreSQL are logged', () => {
  for (const production of [true, false]) {
    const { log, lines, config } = setup({ production })
    const failed = Object.assign(new Error('password hunter22 refused'), { detail: 'Key (email)=(a@b.c)' })
    log.error(new Error('outer', { cause: failed }), { where: `with ${config.ENCRYPTION_KEY}` })
    log.info(`key ${config.PAYOUT_PRIVATE_KEY}`)
    const text = lines.join('')
    expect(text).toContain('(PAYOUT_PRIVATE_KEY)')
    for (const secret of ['hunter22', config.ENCRYPTION_KEY, config.PAYOUT_PRIVATE_KEY, 'a@b.c'])
      expect(text).not.toContain(secret)
  }
})

test('messages below the level are not written', () => {
  const { log, lines } = setup({ LOG_LEVEL: 'warn' })
  log.debug('a')
  log.info('b')
  expect([lines, log.writes('info'), log.writes('warn')]).toEqual([[], false, true])
  log.warn('c')
  expect(lines).toHaveLength(1)
})

test('alerts are marked', () => {
  const { log, records } = setup({ production: true })
  log.error(new Error('ALERT: the books differ'))
  log.error(new Error('something else'))
  expect(records().map(({ alert }) => alert)).toEqual([true, undefined])
})
