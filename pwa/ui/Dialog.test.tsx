import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { useEffect, useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import { Dialog } from './Dialog.tsx'
import { Menu, MenuItem } from './Menu.tsx'
import { MenuButton } from './MenuButton.tsx'
import { toast } from './toast.ts'

function Opener({ isHeld = false }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Dialog open={isOpen} onOpenChange={setOpen} isHeld={isHeld} title="Reject the withdrawal">
        <textarea aria-label="Reason" />
      </Dialog>
    </>
  )
}

const openDialog = async ({ isHeld = false } = {}) => {
  const { person } = renderPage(<Opener isHeld={isHeld} />)
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

/** A phone whose back button goes to the watcher created last, as in Chrome, and to the page if there is none. */
function stubBackButton() {
  const watchers: CloseWatcher[] = []
  class CloseWatcher {
    onclose?: () => void
    constructor() {
      watchers.push(this)
    }
    destroy = () => watchers.splice(watchers.indexOf(this), 1)
  }
  vi.stubGlobal('CloseWatcher', CloseWatcher)
  onTestFinished(() => void vi.unstubAllGlobals())
  return function goBack() {
    const watcher = watchers.pop()
    act(() => watcher?.onclose?.())
    return watcher ? 'stays' : 'leaves'
  }
}

test("the phone's back button closes a dialog, and after that leaves the page", async () => {
  const goBack = stubBackButton()
  await openDialog()
  expect(goBack()).toBe('stays')
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(goBack()).toBe('leaves')
})

test("the phone's back button leaves neither a dialog that must be answered nor the page below it", async () => {
  const goBack = stubBackButton()
  await openDialog({ isHeld: true })
  expect(goBack()).toBe('stays')
  expect(goBack()).toBe('stays')
  expect(screen.getByRole('dialog')).toBeVisible()
})

test('a dialog that asks for something begins at its first field', async () => {
  await openDialog()
  expect(screen.getByLabelText('Reason')).toHaveFocus()
})

const noop = () => {}

test('a dialog without a field begins at its text, and a question at the button that changes nothing', () => {
  renderPage(
    <Dialog open onOpenChange={noop} title="Save your codes">
      <input type="checkbox" aria-label="I saved them" />
    </Dialog>,
  )
  expect(screen.getByRole('dialog')).toHaveFocus()
  cleanup()

  renderPage(<ConfirmDialog open onOpenChange={noop} title="Remove it?" description="" confirmLabel="Remove" onConfirm={noop} />)
  expect(screen.getByRole('button', { name: 'Cancel' })).toHaveFocus()
})

test('a dialog begins at its text where a field would open a keyboard, and where more is to be read than fits', async () => {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query.includes('coarse') }))
  await openDialog()
  expect(screen.getByRole('dialog')).toHaveFocus()
  cleanup()

  vi.unstubAllGlobals()
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(900)
  await openDialog()
  expect(screen.getByRole('dialog')).toHaveFocus()
})

/** A page whose button is replaced, or disabled, while what its dialog began goes on. */
function PayPage({ isReplaced }: { isReplaced: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const [hasBegun, setBegun] = useState(false)
  const begin = () => (setBegun(true), setOpen(true))
  return (
    <main>
      {hasBegun && isReplaced ? (
        <p>Your wallet was asked.</p>
      ) : (
        <button type="button" disabled={hasBegun} onClick={begin}>
          Pay
        </button>
      )}
      <Dialog open={isOpen} onOpenChange={setOpen} title="Payment" />
    </main>
  )
}

test.each([true, false])(
  'if what opened a dialog is gone (%s) or disabled, the keyboard goes on at the content',
  async (isReplaced) => {
    const { person } = renderPage(<PayPage isReplaced={isReplaced} />)
    await person.click(screen.getByRole('button', { name: 'Pay' }))
    await person.keyboard('{Escape}')
    const content = screen.getByRole('main')
    await waitFor(() => expect(content).toHaveFocus())
    act(() => content.blur())
    expect(content).not.toHaveAttribute('tabindex')
  },
)

/** A list that is fetched again once its dialog is closed. */
function ReviewPage({ fetched }: { fetched: Promise<void> }) {
  const [isOpen, setOpen] = useState(false)
  const [isDecided, setDecided] = useState(false)
  useEffect(() => void fetched.then(() => setDecided(true)), [fetched])
  return (
    <main>
      {!isDecided && (
        <button type="button" onClick={() => setOpen(true)}>
          Approve
        </button>
      )}
      <Dialog open={isOpen} onOpenChange={setOpen} title="Approve it?" />
    </main>
  )
}

test('if what opened a dialog goes after it has the focus again, the keyboard goes on at the content', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { person } = renderPage(<ReviewPage fetched={promise} />)
  await person.click(screen.getByRole('button', { name: 'Approve' }))
  await person.keyboard('{Escape}')
  await waitFor(() => expect(screen.getByRole('button', { name: 'Approve' })).toHaveFocus())
  resolve()
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
})

function AccountMenu() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <MenuButton
        label="Account"
        className=""
        menu={(props) => (
          <Menu {...props}>
            <MenuItem onSelect={() => setOpen(true)}>Withdraw</MenuItem>
          </Menu>
        )}
      >
        Account
      </MenuButton>
      {isOpen && (
        <Dialog open onOpenChange={setOpen} title="Withdrawal">
          <input aria-label="Amount" />
        </Dialog>
      )}
    </>
  )
}

test('a dialog opened from a menu returns the focus to the button of the menu', async () => {
  const { person } = renderPage(<AccountMenu />)
  await person.click(screen.getByRole('button', { name: 'Account' }))
  await person.click(await screen.findByRole('menuitem', { name: 'Withdraw' }))
  await waitFor(() => expect(screen.getByLabelText('Amount')).toHaveFocus())
  await person.keyboard('{Escape}')
  await waitFor(() => expect(screen.getByRole('button', { name: 'Account' })).toHaveFocus())
})
