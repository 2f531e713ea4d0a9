import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { verifyOtp } from '#shared/contract/otp.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
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
  api.answer(verifyOtp, ({ body }) => {
    tokens.push(body.token)
    if (body.token !== '123456') throw refusal(400, 'otp_invalid', 'That code is not right.')
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

test('the sixth digit submits, and an accepted code closes the dialog and gives the focus back', async () => {
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

test('a paste fills the boxes with its digits alone', async () => {
  const { person, open, tokens } = setUp()
  await open()

  await person.paste(' 123-456 ')

  await waitFor(() => expect(tokens).toEqual(['123456']))
})

test('letters do not enter, and Backspace on an empty box goes back', async () => {
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

test('a refused code empties the boxes and starts again at the first, as often as it is refused', async () => {
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
