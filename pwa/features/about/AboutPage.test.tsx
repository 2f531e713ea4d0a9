import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { getConfig } from '#shared/contract/settings.ts'
import { Footer } from '#pwa/app/Footer.tsx'
import { answerCommonCalls, someConfig } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AboutPage } from './AboutPage.tsx'

const api = useFakeApi()
const depositAddress = `0x${'d'.repeat(40)}`

test('seller, terms and addresses are shown, with block explorer links', async () => {
  const seller = {
    name: 'Example Nodes Ltd',
    address: '1 Example Street, Seoul',
    termsUrl: 'https://example.com/terms',
    riskUrl: 'https://example.com/risk',
  }
  answerCommonCalls(api, { config: { seller } })
  renderPage(<AboutPage />)
  expect(await screen.findByText('Example Nodes Ltd')).toBeVisible()
  expect(screen.getByText('1 Example Street, Seoul')).toBeVisible()
  expect(screen.getByRole('link', { name: /^Terms of sale/ })).toHaveAttribute('href', 'https://example.com/terms')
  expect(screen.getByRole('link', { name: /^Risk/ })).toHaveAttribute('href', 'https://example.com/risk')
  expect(screen.queryByRole('link', { name: /^Privacy/ })).not.toBeInTheDocument()
  expect(screen.getByRole('link', { name: depositAddress })).toHaveAttribute(
    'href',
    `https://bscscan.com/address/${depositAddress}`,
  )
  const token = `0x${'e'.repeat(40)}`
  expect(screen.getByRole('link', { name: token })).toHaveAttribute('href', `https://explorer.example.com/address/${token}`)
})

test('without seller details there is no section, and without a deposit address no sale', async () => {
  answerCommonCalls(api, { config: { depositAddress: null } })
  renderPage(<AboutPage />)
  await screen.findByRole('heading', { name: 'Addresses' })
  expect(screen.getByText('How to verify the sale yourself and contact support.')).toBeVisible()
  expect(screen.queryByRole('heading', { name: 'Seller' })).not.toBeInTheDocument()
  expect(screen.queryByRole('heading', { name: 'Terms and policies' })).not.toBeInTheDocument()
  expect(screen.queryByText('Deposit address for USDT payments')).not.toBeInTheDocument()
})

test('support names its address and says that it never asks for codes or keys', async () => {
  answerCommonCalls(api)
  renderPage(<AboutPage />)
  expect(await screen.findByRole('link', { name: 'support@example.com' })).toHaveAttribute('href', 'mailto:support@example.com')
  expect(screen.getByText(/^Support never asks for your password, codes, private key or recovery phrase/)).toBeVisible()
})

test('a failed part can be retried, and the rest is shown meanwhile', async () => {
  answerCommonCalls(api)
  api.answer(getConfig, () => {
    throw refusal(503, 'busy', 'Please try again.')
  })
  const { person } = renderPage(<AboutPage />)
  expect(await screen.findByText("Couldn't load all of this page")).toBeVisible()
  expect(screen.getByRole('heading', { name: 'Supply and sales' })).toBeVisible()
  api.answer(getConfig, () => someConfig())
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('heading', { name: 'Addresses' })).toBeVisible()
  expect(screen.queryByText("Couldn't load all of this page")).not.toBeInTheDocument()
})

const stats = { total: 20_000, totalSold: 1_305, paid: 1_200, bonus: 100, reserved: 5, remaining: 18_695, progress: 6.52 }

test('the number of nodes sold is split into paid, bonus and reserved', async () => {
  answerCommonCalls(api, { stats })
  renderPage(<AboutPage />)
  for (const [name, figure] of [
    ['Paid', '1,200'],
    ['Bonus', '100'],
    ['Reserved while a payment is in progress', '5'],
    ['Remaining', '18,695'],
  ] as const)
    expect((await screen.findByText(name)).nextElementSibling).toHaveTextContent(figure)
})

test("the footer links to the page and to the seller's documents", async () => {
  answerCommonCalls(api, { config: { seller: { name: 'Example Nodes Ltd', privacyUrl: 'https://example.com/privacy' } } })
  renderPage(<Footer />)
  expect(await screen.findByText('Example Nodes Ltd')).toBeVisible()
  expect(screen.getByRole('link', { name: 'About' })).toHaveAttribute('href', '/about')
  expect(screen.getByRole('link', { name: 'Privacy' })).toHaveAttribute('href', 'https://example.com/privacy')
  expect(screen.queryByRole('link', { name: 'Refunds' })).not.toBeInTheDocument()
})

test('on local chains the page says that block explorers do not know the addresses', async () => {
  answerCommonCalls(api, { config: { demo: true } })
  renderPage(<AboutPage />)
  expect(await screen.findByText("This demo runs on local chains, so block explorers don't show these addresses.")).toBeVisible()
})
