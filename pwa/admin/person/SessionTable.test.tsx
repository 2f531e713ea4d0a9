import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { startInLanguage } from '#pwa/i18n/language.ts'
import { somePerson } from '#pwa/testing/adminAnswers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { SessionTable } from './SessionTable.tsx'

afterEach(() => startInLanguage('en'))

test("the devices of a person's sessions are named in the language of the page", async () => {
  await startInLanguage('ko')
  const since = new Date('2026-11-20T08:00:00Z')
  const sessions = ['Chrome on Android', 'Unknown device'].map((device) => ({
    id: device,
    device,
    ip: null,
    since,
    lastSeen: since,
  }))
  renderPage(<SessionTable person={somePerson({ sessions, sessionCount: 2 })} />)
  expect(screen.getByText('Android의 Chrome')).toBeVisible()
  expect(screen.getByText('알 수 없는 기기')).toBeVisible()
})
