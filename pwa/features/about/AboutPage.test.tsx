import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Footer } from '#pwa/app/Footer.tsx'
import { answerWorld } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AboutPage } from './AboutPage.tsx'

const api = useFakeApi()
const depositAddress = `0x${'d'.repeat(40)}`

test('the seller, the terms and the addresses are shown, with their places in the block explorer', async () => {
  const seller = {
    name: 'Example Nodes Ltd',
    address: '1 Example Street, Seoul',
    termsUrl: 'https://example.com/terms',
    riskUrl: 'https://example.com/risk',
  }
  answerWorld(api, { config: { seller } })
  renderPage(<AboutPage />)
  expect(await screen.findByText('Example Nodes Ltd')).toBeVisible()
  expect(screen.getByText('1 Example Street, Seoul')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Terms of sale' })).toHaveAttribute('href', 'https://example.com/terms')
  expect(screen.getByRole('link', { name: 'Risk' })).toHaveAttribute('href', 'https://example.com/risk')
  expect(screen.queryByRole('link', { name: 'Privacy' })).not.toBeInTheDocument()
  expect(screen.getByRole('link', { name: depositAddress })).toHaveAttribute(
    'href',
    `https://bscscan.com/address/${depositAddress}`,
  )
  expect(screen.getByRole('link', { name: 'support@example.com' })).toHaveAttribute('href', 'mailto:support@example.com')
})

test('what is not configured leaves no empty section', async () => {
  answerWorld(api)
  renderPage(<AboutPage />)
  await screen.findByRole('heading', { name: 'Addresses' })
  expect(screen.queryByRole('heading', { name: 'Seller' })).not.toBeInTheDocument()
  expect(screen.queryByRole('heading', { name: 'Terms' })).not.toBeInTheDocument()
})

test('sold is told apart into paid, bonus and reserved', async () => {
  answerWorld(api, {
    stats: { total: 20_000, totalSold: 1_305, paid: 1_200, bonus: 100, reserved: 5, remaining: 18_695, progress: 6.52 },
  })
  renderPage(<AboutPage />)
  for (const [name, figure] of [
    ['Paid', '1,200'],
    ['Bonus', '100'],
    ['Reserved for payments under way', '5'],
    ['Free', '18,695'],
  ] as const)
    expect((await screen.findByText(name)).nextElementSibling).toHaveTextContent(figure)
})

test('the footer leads to the page and to what the seller has published', async () => {
  answerWorld(api, { config: { seller: { name: 'Example Nodes Ltd', privacyUrl: 'https://example.com/privacy' } } })
  renderPage(<Footer />)
  expect(await screen.findByText('Example Nodes Ltd')).toBeVisible()
  expect(screen.getByRole('link', { name: 'About' })).toHaveAttribute('href', '/about')
  expect(screen.getByRole('link', { name: 'Privacy' })).toHaveAttribute('href', 'https://example.com/privacy')
  expect(screen.queryByRole('link', { name: 'Refunds' })).not.toBeInTheDocument()
})
