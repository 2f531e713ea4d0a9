import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { verifyOtp } from '#shared/contract/otp.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { someConfig } from '#pwa/testing/answers.ts'
import { proxyAnswer, refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { OneTimeCodeDialog } from './OneTimeCodeDialog.tsx'

const api = useFakeApi()

function setUp() {
  const onVerified = vi.fn()
  const tokens: string[] = []
  function Opener() {
    const [isOpen, setOpen] = useState(false)
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
        <OneTimeCodeDialog
          open={isOpen}
          onOpenChange={setOpen}
          title="OTP Verification"
          description="Enter the code to buy."
          onVerified={onVerified}
        />
      </>
    )
  }
  api.answer(getConfig, () => someConfig())
  api.answer(verifyOtp, ({ body }) => {
    tokens.push(body.token)
    if (body.token !== '123456' && body.token !== 'ABCDE-FGHJK') throw refusal(400, 'otp_invalid', 'That code is not right.')
    return { message: 'ok' }
  })
  const { person } = renderPage(<Opener />)
  const open = async () => {
    await person.click(screen.getByRole('button', { name: 'Open' }))
    await waitFor(() => expect(box(1)).toHaveFocus())
  }
  return { person, open, onVerified, tokens }
}

const box = (position: number) => screen.getByLabelText(`Digit ${position} of 6`)
const code = () => [1, 2, 3, 4, 5, 6].map((position) => (box(position) as HTMLInputElement).value).join('')

test('a code that is accepted after the dialog was cancelled starts nothing', async () => {
  const { person, open, onVerified } = setUp()
  const check = Promise.withResolvers<{ message: string }>()
  api.answer(verifyOtp, () => check.promise)
  await open()
  await person.keyboard('123456')
  await person.click(screen.getByRole('button', { name: 'Cancel' }))
  await act(async () => check.resolve({ message: 'ok' }))

  expect(onVerified).not.toHaveBeenCalled()
  expect(screen.queryByText('Verification Successful')).not.toBeInTheDocument()
})

test('the sixth digit submits, and an accepted code closes the dialog and returns the focus', async () => {
  const { person, open, onVerified, tokens } = setUp()
  await open()

  await person.keyboard('123456')

  expect(await screen.findByText('Verification Successful')).toBeVisible()
  expect(screen.getByText('OTP verification completed successfully.')).toBeVisible()
  expect(onVerified).toHaveBeenCalledOnce()
  expect(tokens).toEqual(['123456'])
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(screen.getByRole('button', { name: 'Open' })).toHaveFocus()
})

test('a code that is being typed when the focus would be moved goes on where it is', () => {
  setUp()
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  fireEvent.click(screen.getByRole('button', { name: 'Open' }))
  fireEvent.focus(box(1))
  fireEvent.change(box(1), { target: { value: '1' } })
  expect(box(2)).toHaveFocus()
  act(() => void vi.advanceTimersByTime(1_000))
  expect(box(2)).toHaveFocus()
})

test('a paste fills the boxes with its digits only', async () => {
  const { person, open, tokens } = setUp()
  await open()

  await person.paste(' 123-456 ')

  await waitFor(() => expect(tokens).toEqual(['123456']))
})

test('letters are dropped, and Backspace on an empty box goes back', async () => {
  const { person, open } = setUp()
  await open()

  await person.keyboard('a1b2')
  expect(code()).toBe('12')
  expect(box(3)).toHaveFocus()

  await person.keyboard('{Backspace}')
  expect(code()).toBe('1')
  expect(box(2)).toHaveFocus()
})

test('Enter before the sixth digit asks for all of them', async () => {
  const { person, open, tokens } = setUp()
  await open()

  await person.keyboard('123{Enter}')

  expect(await screen.findByText('Please enter all 6 digits.')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Verify Code' })).toBeDisabled()
  expect(tokens).toEqual([])
})

test('every refused code empties the boxes and focuses the first', async () => {
  const { person, open, onVerified, tokens } = setUp()
  await open()

  await person.keyboard('111111')
  expect(await screen.findByText('That code is not right.')).toBeVisible()
  await waitFor(() => expect(box(1)).toHaveFocus())
  expect(code()).toBe('')

  await person.keyboard('222222')
  await waitFor(() => expect(tokens).toEqual(['111111', '222222']))
  await waitFor(() => expect(box(1)).toHaveFocus())
  expect(onVerified).not.toHaveBeenCalled()
})

test('screen readers see one group, phones offer the code in the first box, and refusals are announced', async () => {
  const { person, open } = setUp()
  await open()
  expect(screen.getByRole('group', { name: 'Authenticator code' })).toBeVisible()
  expect(box(1)).toHaveAttribute('autocomplete', 'one-time-code')

  await person.keyboard('111111')
  // Found by role, which fails for elements that Radix hides from screen readers around an open dialog.
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('Verification Failed'))
  expect(box(1)).toHaveAttribute('aria-invalid', 'true')
  await person.keyboard('1')
  expect(box(1)).not.toHaveAttribute('aria-invalid')
})

test('a code autofilled into the first box fills all of them', async () => {
  const { open, tokens } = setUp()
  await open()
  fireEvent.change(box(1), { target: { value: '123456' } })

  await waitFor(() => expect(tokens).toEqual(['123456']))
})

test.each([
  ['full-width', '１２３４５６'],
  ['Arabic', '١٢٣٤٥٦'],
  ['Persian', '۱۲۳۴۵۶'],
])('%s digits are digits, typed or pasted', async (_, digits) => {
  const { person, open, tokens } = setUp()
  await open()
  await person.keyboard(digits.slice(0, 3))
  expect(code()).toBe('123')
  await person.paste(digits)

  await waitFor(() => expect(tokens).toEqual(['123456']))
})

test('a digit composed by an input method is left alone until it is finished, and counts once', async () => {
  const { open } = setUp()
  await open()
  fireEvent.compositionStart(box(1))
  fireEvent.input(box(1), { target: { value: '１' }, isComposing: true })
  expect(box(1)).toHaveValue('１')
  expect(box(1)).toHaveFocus()
  // The Enter that ends a composition does not submit.
  fireEvent.keyDown(box(1), { key: 'Enter', isComposing: true })
  expect(screen.queryByText('Invalid Code')).not.toBeInTheDocument()

  fireEvent.compositionEnd(box(1))
  expect(code()).toBe('1')
  expect(box(2)).toHaveFocus()
})

test('without the phone a recovery code works, in its own field', async () => {
  const { person, open, onVerified, tokens } = setUp()
  await open()
  await person.click(screen.getByRole('button', { name: 'Use a recovery code' }))
  const field = screen.getByLabelText('Recovery code')
  expect(field).toHaveFocus()
  // Whoever has lost them too learns whom to ask.
  expect(await screen.findByRole('link', { name: 'support@example.com' })).toHaveAttribute('href', 'mailto:support@example.com')

  await person.type(field, 'abcde{Enter}')
  expect(await screen.findByText('Please enter one of your recovery codes.')).toBeVisible()
  await person.type(field, ' fghjk{Enter}')
  await waitFor(() => expect(onVerified).toHaveBeenCalledOnce())
  expect(tokens).toEqual(['ABCDE-FGHJK'])
})

test('a refused recovery code empties its field, and the boxes can be shown again', async () => {
  const { person, open } = setUp()
  await open()
  await person.click(screen.getByRole('button', { name: 'Use a recovery code' }))
  await person.type(screen.getByLabelText('Recovery code'), 'AAAAAAAAAA{Enter}')
  expect(await screen.findByText('That code is not right.')).toBeVisible()
  await waitFor(() => expect(screen.getByLabelText('Recovery code')).toHaveFocus())
  expect(screen.getByLabelText('Recovery code')).toHaveValue('')

  await person.click(screen.getByRole('button', { name: 'Use the authenticator code' }))
  await waitFor(() => expect(box(1)).toHaveFocus())
})

test('Cancel closes the dialog, and the next opening starts with empty boxes', async () => {
  const { person, open } = setUp()
  await open()
  await person.keyboard('12')
  await person.click(screen.getByRole('button', { name: 'Use a recovery code' }))
  await person.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())

  await open()
  expect(code()).toBe('')
})

test('while a cancelled code is still being checked, the next one is checked, and only its answer counts', async () => {
  const { person, open, onVerified } = setUp()
  const answers: (() => void)[] = []
  api.answer(verifyOtp, () => new Promise((resolve) => answers.push(() => resolve({ message: 'ok' }))))
  await open()
  await person.keyboard('123456')
  await waitFor(() => expect(answers).toHaveLength(1))
  await person.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())

  await open()
  await person.keyboard('123456')
  await waitFor(() => expect(answers).toHaveLength(2))
  await act(async () => answers[0]!())
  expect(onVerified).not.toHaveBeenCalled()
  expect(screen.getByRole('dialog')).toBeVisible()
  await act(async () => answers[1]!())
  await waitFor(() => expect(onVerified).toHaveBeenCalledOnce())
})

test('a code whose answer was lost is not called refused', async () => {
  const { person, open } = setUp()
  api.answer(verifyOtp, () => {
    throw proxyAnswer(502)
  })
  await open()
  await person.keyboard('123456')

  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('Enter the next one.')
  expect(screen.queryByText('Verification Failed')).not.toBeInTheDocument()
})
