import { act, renderHook, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ownDrafts, useDraft } from './useDraft.ts'

test('a logout in another tab ends what was typed in this one', async () => {
  const { result: draft } = renderHook(() => useDraft('note of an account', ''))
  act(() => ownDrafts('keeper'))
  act(() => draft.current[1]('He called on Monday.'))
  const stored = sessionStorage.getItem('admin_drafts')!
  expect(stored).toContain('Monday')

  vi.resetModules()
  const otherTab = await import('./useDraft.ts')
  otherTab.forgetDrafts()
  // Each tab has a session storage of its own.
  sessionStorage.setItem('admin_drafts', stored)

  await waitFor(() => expect(draft.current[0]).toBe(''))
  expect(sessionStorage.getItem('admin_drafts')).toBeNull()
})
