import { act, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { setupStatus } from '#shared/contract/setup.ts'
import { chooseLanguage } from '#pwa/i18n/language.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { App } from './App.tsx'

vi.mock('altcha/external', () => import('#pwa/testing/fakeAltcha.ts'))
vi.mock('altcha/workers/pbkdf2?worker', () => ({ default: class {} }))

const api = useFakeApi()

test('what was typed stays when the language changes, and so does the step of a form', async () => {
  answerCommonCalls(api)
  api.answer(setupStatus, () => ({ setupRequired: false }))
  const { person } = renderPage(<App queryClient={createQueryClient()} />, { at: '/auth' })
  await person.type(await screen.findByLabelText('Email'), 'mara@example.com')
  await person.type(screen.getByLabelText('Password'), 'Passw0rd!')

  await act(async () => void (await chooseLanguage('ko')))
  expect(screen.getByLabelText('이메일')).toHaveValue('mara@example.com')
  expect(screen.getByLabelText('비밀번호')).toHaveValue('Passw0rd!')

  await person.click(screen.getByRole('tab', { name: '회원가입' }))
  await act(async () => void (await chooseLanguage('en')))
  expect(screen.getByRole('tab', { name: 'Sign Up' })).toHaveAttribute('aria-selected', 'true')
})

test('the parts of the start page that are never rendered again follow the language too', async () => {
  answerCommonCalls(api)
  api.answer(setupStatus, () => ({ setupRequired: false }))
  const { person } = renderPage(<App queryClient={createQueryClient()} />)
  await screen.findByRole('heading', { name: 'Frequently asked questions' })
  const answer = screen.getByRole('heading', { name: 'What is an XCR node?' }).closest('details')!
  await person.click(answer.querySelector('summary')!)

  await act(async () => void (await chooseLanguage('ko')))
  expect(screen.getByRole('heading', { name: '자주 묻는 질문' })).toBeVisible()
  // The open answer stays open.
  expect(answer).toBeInTheDocument()
  expect(answer).toHaveAttribute('open')
})
