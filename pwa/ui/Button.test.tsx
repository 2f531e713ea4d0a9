import { render, screen } from '@testing-library/react'
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
