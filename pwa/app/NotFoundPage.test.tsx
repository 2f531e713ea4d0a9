import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'

test('an unknown path shows an error, a hint about the router, and a link back', () => {
  renderPage(<NotFoundPage />, { at: '/nowhere' })

  expect(screen.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible()
  expect(screen.getByText('Did you forget to add the page to the router?')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Back to the dashboard' })).toHaveAttribute('href', '/')
  expect(document.title).toContain('404 Page Not Found')
})
