import { render, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { Button } from './Button.tsx'

const saving = (isPending: boolean) => <Button isPending={isPending}>Save</Button>
const button = () => screen.getByRole('button')

/** Browsers take the focus from a button that becomes disabled; jsdom does not. */
const loseFocus = () => (document.activeElement as HTMLElement).blur()

test('a button has the focus again after it was pending', () => {
  const { rerender } = render(saving(false))
  button().focus()
  rerender(saving(true))
  loseFocus()
  rerender(saving(false))
  expect(button()).toHaveFocus()
})

test('it leaves the focus where it went meanwhile, and takes none that it had not', () => {
  const { rerender } = render(
    <>
      {saving(false)}
      <input />
    </>,
  )
  const show = (isPending: boolean) =>
    rerender(
      <>
        {saving(isPending)}
        <input />
      </>,
    )
  button().focus()
  show(true)
  screen.getByRole('textbox').focus()
  show(false)
  expect(screen.getByRole('textbox')).toHaveFocus()
  loseFocus()
  show(true)
  show(false)
  expect(document.body).toHaveFocus()
})

test('after a pending button goes with what it was for, the keyboard goes on at the content', async () => {
  const page = (button: ReactNode) => (
    <main>
      <p>Reserved nodes</p>
      {button}
    </main>
  )
  const { rerender } = render(page(saving(false)))
  button().focus()
  rerender(page(saving(true)))
  loseFocus()
  rerender(page(null))
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
})
