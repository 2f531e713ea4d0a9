import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { chooseLanguage } from '#pwa/i18n/language.ts'
import { startTask } from '#pwa/lib/busy.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { LanguageMenu } from './LanguageMenu.tsx'

afterEach(() => act(() => chooseLanguage('en').then(() => undefined)))

const page = (
  <InLanguage>
    <LanguageMenu />
    <main id="content" />
  </InLanguage>
)

test('each language is offered in its own words, and the focus goes to the page that is drawn anew', async () => {
  const { person } = renderPage(page)
  await person.click(screen.getByRole('button', { name: 'Language: English' }))
  await person.click(await screen.findByRole('menuitemradio', { name: '한국어' }))
  expect(await screen.findByRole('button', { name: '언어: 한국어' })).toBeVisible()
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
})

test('no language can be chosen while a payment, a code or a signature is in progress', async () => {
  const finish = startTask()
  const { person } = renderPage(page)
  await person.click(screen.getByRole('button', { name: 'Language: English' }))
  expect(await screen.findByRole('menuitemradio', { name: '한국어' })).toHaveAttribute('aria-disabled', 'true')
  act(finish)
})
