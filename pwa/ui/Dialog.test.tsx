import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { Dialog } from './Dialog.tsx'
import { toast } from './toast.ts'

function Opener() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Dialog open={isOpen} onOpenChange={setOpen} title="Reject the withdrawal">
        <textarea aria-label="Reason" />
      </Dialog>
    </>
  )
}

const openDialog = async () => {
  const { person } = renderPage(<Opener />)
  await person.click(screen.getByRole('button', { name: 'Open' }))
  function pressBeside() {
    const veil = document.querySelector('.bg-veil')!
    fireEvent.pointerDown(veil, { button: 0 })
    fireEvent.click(veil)
  }
  return { person, pressBeside }
}

test('a press beside a dialog closes it', async () => {
  const { pressBeside } = await openDialog()
  pressBeside()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})

test('a press beside a dialog does not lose what was typed, Escape closes it, and it opens empty', async () => {
  const { person, pressBeside } = await openDialog()
  await person.type(screen.getByLabelText('Reason'), 'The wallet is unknown.')
  pressBeside()
  expect(screen.getByLabelText('Reason')).toHaveValue('The wallet is unknown.')

  await person.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  await person.click(screen.getByRole('button', { name: 'Open' }))
  pressBeside()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})

test('closing a toast above a dialog leaves the dialog and what was typed', async () => {
  const { person } = await openDialog()
  await person.type(screen.getByLabelText('Reason'), 'The wallet')
  act(() => void toast({ title: 'Failed to reject withdrawal', destructive: true }))
  const cross = await screen.findByRole('button', { name: 'Close notification' })
  fireEvent.pointerDown(cross, { button: 0 })
  act(() => cross.focus())
  fireEvent.click(cross)

  expect(screen.queryByText('Failed to reject withdrawal')).not.toBeInTheDocument()
  expect(screen.getByLabelText('Reason')).toHaveValue('The wallet')
})
