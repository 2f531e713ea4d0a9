import { act, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { captchaChallenge, verifyCaptcha } from '#shared/contract/captcha.ts'
import { getConfig, type PublicConfig } from '#shared/contract/settings.ts'
import { answerCommonCalls, someConfig } from '#pwa/testing/answers.ts'
import { type findAltcha as FindAltcha } from '#pwa/testing/fakeAltcha.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { HumanVerificationDialog } from './HumanVerificationDialog.tsx'

vi.mock('altcha/external', () => import('#pwa/testing/fakeAltcha.ts'))
vi.mock('altcha/workers/pbkdf2?worker', () => ({ default: class {} }))

const api = useFakeApi()
const notLoaded = 'Failed to load CAPTCHA. Please check your connection and try again.'
const notStarted = 'Failed to initialize CAPTCHA. Please try again.'
const notSolved = 'CAPTCHA verification failed. Please try again.'

function setUp({ captcha = { provider: 'altcha' } }: { captcha?: PublicConfig['captcha'] } = {}) {
  const onVerified = vi.fn()
  const tokens: string[] = []
  answerCommonCalls(api, { config: { captcha } })
  api.answer(captchaChallenge, () => ({}))
  api.answer(verifyCaptcha, ({ body }) => {
    tokens.push(body.captchaToken)
    return { message: 'ok' }
  })
  function Opener() {
    const [isOpen, setOpen] = useState(true)
    return (
      <HumanVerificationDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        onVerified={(token) => {
          onVerified(token)
          setOpen(false)
        }}
      />
    )
  }
  return { onVerified, tokens, open: () => renderPage(<Opener />) }
}

async function widget(): Promise<NonNullable<ReturnType<typeof FindAltcha>>> {
  const { findAltcha } = await import('#pwa/testing/fakeAltcha.ts')
  await waitFor(() => expect(screen.queryByText('Loading verification...')).not.toBeInTheDocument())
  return findAltcha()!
}

async function tick() {
  const altcha = await widget()
  await act(() => altcha.tick())
}

test('a solved challenge is verified by the server and its token passed on', async () => {
  const { open, onVerified, tokens } = setUp()
  open()

  expect(screen.getByRole('dialog', { name: 'Human Verification' })).toBeVisible()
  expect(screen.getByText('Please complete the verification below to continue')).toBeVisible()
  expect(screen.getByText('Loading verification...')).toBeVisible()
  const altcha = await widget()
  expect(altcha.getAttribute('challenge')).toBe('/api/auth/captcha/challenge')
  await act(() => altcha.tick('token-1'))

  await waitFor(() => expect(onVerified).toHaveBeenCalledExactlyOnceWith('token-1'))
  expect(tokens).toEqual(['token-1'])
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('a rejected token shows an alert and closes the dialog', async () => {
  const alert = vi.spyOn(window, 'alert').mockImplementation(() => {})
  const { open, onVerified } = setUp()
  api.answer(verifyCaptcha, () => {
    throw refusal(400, 'captcha_failed', 'No.')
  })
  open()
  await tick()

  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(alert).toHaveBeenCalledExactlyOnceWith(notSolved)
  expect(onVerified).not.toHaveBeenCalled()
})

test('a challenge that was not solved can be retried', async () => {
  const { open, onVerified } = setUp()
  const { person } = open()
  const first = await widget()
  act(() => first.tell('error'))

  expect(await screen.findByText(notSolved)).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  const second = await widget()
  expect(second).not.toBe(first)
  await act(() => second.tick())
  await waitFor(() => expect(onVerified).toHaveBeenCalledOnce())
})

test('a challenge that fails to load is a connection error, and a missing one a start error', async () => {
  const { open } = setUp()
  api.answer(captchaChallenge, () => {
    throw refusal(404, 'not_found', 'There is none.')
  })
  const { person } = open()
  await tick()
  expect(await screen.findByText(notStarted)).toBeVisible()

  await person.click(screen.getByRole('button', { name: 'Try again' }))
  const altcha = await widget()
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'))
  await act(() => altcha.tick())
  expect(await screen.findByText(notLoaded)).toBeVisible()
})

test('without the configuration nothing loads until it can be read', async () => {
  const { open } = setUp()
  api.answer(getConfig, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  const { person } = open()

  expect(await screen.findByText(notLoaded)).toBeVisible()
  api.answer(getConfig, () => someConfig())
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await widget()).toBeInTheDocument()
})

/** A script that is loaded once per page, so each test has its own. */
const turnstile = (name: string) =>
  ({ provider: 'turnstile', siteKey: 'site', scriptUrl: `https://captcha.example/${name}.js` }) as const
const script = () => document.querySelector<HTMLScriptElement>('script[src^="https://captcha.example/"]')
/** Simulates the third party's script. */
const settleScript = async (outcome: 'load' | 'error') => {
  await waitFor(() => expect(script()).toBeInTheDocument())
  act(() => void script()!.dispatchEvent(new Event(outcome)))
}

test('a third-party script that fails to load is reported, and its token is passed on after a retry', async () => {
  const { open, onVerified, tokens } = setUp({ captcha: turnstile('late') })
  const { person } = open()
  await settleScript('error')
  expect(await screen.findByText(notLoaded)).toBeVisible()

  const render = vi.fn((_place: HTMLElement, _options: Record<string, unknown>) => 'widget')
  vi.stubGlobal('turnstile', { render, remove: vi.fn() })
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  await settleScript('load')
  await waitFor(() => expect(render).toHaveBeenCalledOnce())
  const options = render.mock.calls[0]![1] as { sitekey: string; callback: (token: string) => void }
  expect(options.sitekey).toBe('site')
  act(() => options.callback('token-2'))

  await waitFor(() => expect(onVerified).toHaveBeenCalledExactlyOnceWith('token-2'))
  expect(tokens).toEqual(['token-2'])
})

test('a third-party widget that does not start or gives up shows the printed errors', async () => {
  let giveUp = () => {}
  const render = vi.fn((_place: HTMLElement, options: Record<string, unknown>): string => {
    giveUp = options['error-callback'] as () => void
    return 'widget'
  })
  render.mockImplementationOnce(() => {
    throw new Error('No.')
  })
  vi.stubGlobal('turnstile', { render, remove: vi.fn() })
  const { open } = setUp({ captcha: turnstile('broken') })
  const { person } = open()
  await settleScript('load')
  expect(await screen.findByText(notStarted)).toBeVisible()

  await person.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(render).toHaveBeenCalledTimes(2))
  act(() => giveUp())
  expect(await screen.findByText(notSolved)).toBeVisible()
})
