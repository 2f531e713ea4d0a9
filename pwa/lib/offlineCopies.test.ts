import { expect, test } from 'vitest'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { getConfig, getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { getStatus } from '#shared/contract/status.ts'
import { copiedPaths, serverPaths } from './offlineCopies.ts'

test('only public data is copied', () => {
  expect(copiedPaths).toEqual([getNodeStats.path, getNodeSettings.path, listSystemSettings.path, getConfig.path, getStatus.path])
})

test('a navigation under /api/ goes to the server', () => {
  expect(serverPaths.test('/api/login')).toBe(true)
  expect(serverPaths.test('/api/admin/withdrawals/export')).toBe(true)
  expect(serverPaths.test('/register/checkpoint')).toBe(true)
  expect(serverPaths.test('/register')).toBe(false)
  expect(serverPaths.test('/purchase')).toBe(false)
})
