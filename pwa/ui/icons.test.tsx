import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { ExternalLink } from './icons.ts'

test('a labeled icon names its link, an unlabeled one is hidden', () => {
  render(
    <a href="/tx">
      <ExternalLink aria-label="in the block explorer" />
      <ExternalLink />
    </a>,
  )
  expect(screen.getByRole('link', { name: 'in the block explorer' })).toBeInTheDocument()
  expect(screen.getAllByRole('img')).toHaveLength(1)
})
