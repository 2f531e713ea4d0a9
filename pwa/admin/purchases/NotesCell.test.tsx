import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { NotesCell } from './NotesCell.tsx'

test('a folded note shortens wallets and hashes, and an email address can break before its @', async () => {
  const wallet = `0x7f9d${'a'.repeat(32)}6504`
  const hash = `0x8840${'b'.repeat(56)}e239`
  const { person } = renderPage(<NotesCell notes={`From ${wallet} by joon@example.com, ${hash}.`} />)
  const note = screen.getByRole('button')
  expect(note).toHaveTextContent('From 0x7f9d...6504 by joon@example.com, 0x8840...e239.')
  expect(note.innerHTML).toContain('joon<wbr>@example.com')
  // One that fits on a line of its own is not broken.
  expect(note.querySelector('.inline-block')).toHaveTextContent(/^joon@example\.com,$/)
  await person.click(note)
  expect(note).toHaveTextContent(`From ${wallet} by joon@example.com, ${hash}.`)
})

test('a short note without any is text', () => {
  renderPage(<NotesCell notes="Paid twice." />)
  expect(screen.getByText('Paid twice.')).toBeVisible()
  expect(screen.queryByRole('button')).not.toBeInTheDocument()
})
