import { act, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { Dialog } from './Dialog.tsx'
import { TOAST_DURATION, toast, useToasts } from './toast.ts'

function Opener() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Dialog open={isOpen} onOpenChange={setOpen} title="Next" />
    </>
  )
}

const openDialog = () => fireEvent.click(screen.getByRole('button', { name: 'Open' }))
const show = (title: string, destructive = false) => act(() => void toast({ title, destructive }))
const pass = (milliseconds: number) => act(() => void vi.advanceTimersByTime(milliseconds))

beforeEach(() => {
  vi.useFakeTimers()
  renderPage(<Opener />)
})

test('a second toast replaces the first', () => {
  show('Copied')
  show('Transaction Submitted')

  expect(screen.queryByText('Copied')).not.toBeInTheDocument()
  expect(screen.getByText('Transaction Submitted')).toBeVisible()
})

test('a toast closes after five seconds and is removed 1,000,000 ms later', () => {
  show('Copied')

  pass(TOAST_DURATION - 1)
  expect(screen.getByText('Copied')).toBeVisible()
  pass(1)
  expect(screen.queryByText('Copied')).not.toBeInTheDocument()
  expect(useToasts.getState().toasts).toHaveLength(1)
  pass(1_000_000)
  expect(useToasts.getState().toasts).toHaveLength(0)
})

test('a refusal is announced assertively, other toasts politely', () => {
  show('Purchase Failed', true)
  expect(screen.getByRole('alert')).toHaveTextContent('Purchase Failed')

  show('Copied')
  expect(screen.getByRole('status')).toHaveTextContent('Copied')
  expect(screen.getByRole('alert')).toBeEmptyDOMElement()
})

test('a toast on a phone appears below the top bar, which stays usable', () => {
  const bar = document.body.appendChild(document.createElement('header'))
  onTestFinished(() => bar.remove())
  bar.getBoundingClientRect = () => ({ bottom: 121 }) as DOMRect
  show('Copied')

  expect(screen.getByRole('region', { name: 'Notifications' }).style.getPropertyValue('--bar-bottom')).toBe('121px')
})

test('a refusal does not lie over a dialog that is opened after it, unless it is why it opens', () => {
  show('OTP Authentication Required', true)
  openDialog()
  expect(screen.getByText('OTP Authentication Required')).toBeVisible()

  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
  show('Not Changed', true)
  pass(2_000)
  openDialog()
  expect(screen.getByRole('dialog', { name: 'Next' })).toBeVisible()
  expect(screen.queryByText('Not Changed')).not.toBeInTheDocument()
})
