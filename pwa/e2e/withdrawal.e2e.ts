import { createPublicClient, erc20Abi, http } from 'viem'
import { expect, test, vi } from 'vitest'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { shorten } from '#shared/address.ts'
import { HOUR } from '#shared/dates.ts'
import { parseWithdrawalMessage } from '#shared/withdrawalMessage.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { expectAllVerified, waitForPublished } from './proofPage.ts'
import { readHistory, expectToast, typeCode, useProduct } from './fixtures.ts'

const product = useProduct()
const TIMEOUT = 60_000

test('a holder of ten nodes is paid on two days, withdraws, and receives the XCR in wallet and history', async () => {
  await product.setUp()
  await product.setDailyRate('200')
  const person = await product.arriveAsHolder({ serviceWorkers: 'allow' })
  const { page, wallet, noon, payday } = person
  const seeHistory = (rows: unknown[]) =>
    vi.waitFor(async () => expect(await readHistory(page)).toEqual(rows), { timeout: TIMEOUT, interval: 100 })
  const reward = (day: number, balance: string) => [
    'XCR Distribution',
    '2,000 XCR',
    'Completed',
    formatDateTime(payday(day)),
    balance,
  ]
  const rewards = [reward(3, '4,000.00 XCR'), reward(2, '2,000.00 XCR')]
  const purchase = ['Node Purchase', '10 nodes · 30 USDT', 'Completed', expect.any(String), '–']

  // Two days of income arrive on the open page.
  await product.moveClockTo(person, new Date(noon(1).getTime() + HOUR))
  await product.moveClockTo(person, payday(2))
  await seeHistory([rewards[1], purchase])
  await product.moveClockTo(person, payday(3))
  await seeHistory([...rewards, purchase])

  // First the code.
  await page.getByRole('button', { name: /^Account of / }).click()
  await page.getByRole('menuitem', { name: 'XCR Withdraw' }).click()
  const dialog = page.getByRole('dialog', { name: 'XCR Withdrawal' })
  await dialog.getByText('4,000.00', { exact: true }).waitFor()
  await dialog.getByLabel('Amount').fill('3000')
  await dialog.getByText('2,995.00', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Request Withdrawal' }).click()
  await typeCode(person, await person.makeNextCode())
  await expectToast(person, 'OTP Verification Complete')
  // The focus returns to the dialog, not to the page behind it.
  await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)

  // The wallet knows neither the network nor the token; both are added, then it signs.
  await dialog.getByRole('button', { name: 'Sign with MetaMask' }).click()
  await expectToast(person, 'Setup Required', 'Network and token setup required in MetaMask for withdrawal.')
  await dialog.getByRole('button', { name: 'Add Network' }).click()
  await expectToast(person, 'Network Added')
  await dialog.getByRole('button', { name: 'Add Token' }).click()
  await expectToast(person, 'Token Added')
  wallet.requests.length = 0
  await dialog.getByRole('button', { name: 'Sign with MetaMask' }).click()
  await expectToast(person, 'Withdrawal Request Completed')
  await dialog.waitFor({ state: 'hidden' })
  const [request, ...others] = wallet.requests
  expect(others).toEqual([])
  const terms = request?.type === 'sign' ? parseWithdrawalMessage(request.message) : undefined
  expect(terms).toMatchObject({
    amount: parseAmount('3000'),
    fee: parseAmount('5'),
    address: wallet.address,
    email: person.email,
    host: new URL(product.running().url).host,
  })

  // The payout arrives on the chain and on the open page.
  await seeHistory([['XCR Withdrawal', '3,000 XCR', 'Completed', expect.any(String), '1,000.00 XCR'], ...rewards, purchase])
  const card = (title: string) => page.getByRole('heading', { name: title }).locator('xpath=ancestor::section')
  await card('Current XCR Balance').getByText('1,000.00', { exact: true }).waitFor()
  await card('Total Withdrawal History').getByText('3,000.00', { exact: true }).waitFor()
  await card('Total Withdrawal History').getByText('1 completed withdrawal', { exact: true }).waitFor()

  const { rewardChain } = (await (await person.context.request.get('/api/config')).json()) as {
    rewardChain: { rpcUrls: string[]; tokenAddress: `0x${string}`; explorerUrl: string }
  }
  const chain = createPublicClient({ transport: http(rewardChain.rpcUrls[0]) })
  const balance = await chain.readContract({
    address: rewardChain.tokenAddress,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [wallet.address],
  })
  expect(formatAmount(balance)).toBe('2995')
  const link = page.getByRole('row').filter({ hasText: 'XCR Withdrawal' }).getByRole('link')
  const href = (await link.getAttribute('href'))!
  const hash = href.slice(`${rewardChain.explorerUrl}/tx/`.length) as `0x${string}`
  await expect.poll(() => link.textContent()).toContain(shorten(hash))
  expect(await chain.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })

  // Downloads the statement past the service worker, and enables the daily email.
  await page.evaluate(() => navigator.serviceWorker.ready)
  const [statement] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download statement' }).click(),
  ])
  expect(statement.suggestedFilename()).toMatch(/\.xlsx$/)
  expect(await statement.failure()).toBeNull()
  await page.getByRole('switch', { name: 'Email me a daily summary' }).click()
  await expect
    .poll(async () => (await person.context.request.get('/api/user/notifications')).json())
    .toEqual({ rewardDigest: true, language: 'en' })

  // With the next day the register has it all, and the holder's device agrees.
  await product.moveClockTo(person, payday(4))
  await waitForPublished(page, payday(4), product.running().readLog)
  await page.goto('/proof')
  await page
    .getByText(
      /^All 10 of your nodes are in the register of .* They earned 2,000 XCR that day\. Your balance of 3,000 XCR follows from what they earned and your withdrawal\.$/,
    )
    .waitFor()
  await expectAllVerified(page)
})
