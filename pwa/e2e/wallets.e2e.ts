import { expect, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { shorten } from '#shared/address.ts'
import { connectWallet, reserveNodes, expectToast, useProduct, type Person } from './fixtures.ts'
import { installWallet, type WalletAnswer } from './installWallet.ts'

const product = useProduct()
const TIMEOUT = 60_000

const phone = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
}
const openSheet = ({ page }: Person) => page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }).click()
const addressInBar = ({ page }: Person, address: string) =>
  page
    .getByRole('banner')
    .getByRole('button', { name: `Wallet ${shorten(address)}` })
    .waitFor()
/** Half a minute in the page, whose clock is installed: longer than it waits for a wallet. */
const passTime = ({ page }: Person) => page.clock.fastForward(30 * SECOND)
const readAddress = async ({ context }: Person) =>
  ((await (await context.request.get('/api/auth/user')).json()) as { walletAddress: string | null }).walletAddress

test('desktop without a wallet says what to install and offers alternatives', async () => {
  await product.setUp()
  const person = await product.arrive({}, (context) => installWallet(context, { injectedAfter: 'never' }))
  const { page } = person
  await page.goto('/')
  await openSheet(person)
  await expectToast(person, 'MetaMask 필요')
  await page.getByRole('dialog').getByRole('img', { name: "QR code of this page's address" }).waitFor()
})

test('a phone without a wallet is never redirected: the apps are links to tap', async () => {
  await product.setUp()
  const person = await product.arrive(phone, (context) => installWallet(context, { injectedAfter: 'never' }))
  const { page } = person
  const left: string[] = []
  page.on('request', (request) => {
    if (request.isNavigationRequest() && !request.url().startsWith(product.running().url)) left.push(request.url())
  })
  await page.goto('/purchase')
  await openSheet(person)
  const dialog = page.getByRole('dialog', { name: 'Connect Wallet' })
  const { host } = new URL(product.running().url)
  expect(await dialog.getByRole('link', { name: 'MetaMask' }).getAttribute('href')).toBe(
    `https://link.metamask.io/dapp/${host}/purchase`,
  )
  for (const name of ['Trust Wallet', 'OKX Wallet', 'Coinbase Wallet (Base app)', 'TokenPocket']) {
    await dialog.getByRole('link', { name }).waitFor()
  }
  await dialog.getByRole('button', { name: 'On another device' }).tap()
  await dialog.getByRole('img', { name: "QR code of this page's address" }).waitFor()
  expect(page.url()).toBe(`${product.running().url}/purchase`)
  expect(left).toEqual([])
})

test('a wallet browser that injects its wallet late and silently is connected without a choice', async () => {
  await product.setUp()
  const person = await product.arrive(phone, (context) => installWallet(context, { injectedAfter: 1_500 }))
  const { page, wallet } = person
  await page.goto('/')
  await openSheet(person)
  await addressInBar(person, wallet.address)
})

test('a connection that is refused, pending, or never answered can be retried', async () => {
  await product.setUp()
  const person = await product.arrive()
  const { page, wallet } = person
  await page.goto('/')
  await openSheet(person)
  const choice = page.getByRole('dialog').getByRole('button', { name: wallet.name })

  wallet.refuse('connect')
  await choice.click()
  await vi.waitFor(() => expect(wallet.requests).toHaveLength(1), { timeout: TIMEOUT })
  await choice.waitFor()
  expect(await page.getByLabel('Notifications').getByRole('button').count()).toBe(0)
  wallet.refuse(null)

  const answerConnection = (answer: WalletAnswer | null) => {
    for (const method of ['eth_requestAccounts', 'wallet_requestPermissions']) wallet.answer(method, answer)
  }
  answerConnection({ error: { code: -32002, message: 'Already processing.' } })
  await choice.click()
  await expectToast(
    person,
    'Wallet Request Waiting',
    'There is a pending connection request. Open your wallet and respond to it.',
  )

  answerConnection('never')
  await choice.click()
  await page.getByText("Don't see anything? Open your wallet. The request is waiting there.").waitFor()
  await page.getByRole('button', { name: 'Choose again' }).click()
  answerConnection(null)
  await choice.click()
  await addressInBar(person, wallet.address)
})

test('a locked wallet keeps its address; another account of it is registered instead', async () => {
  await product.setUp()
  const person = await product.arriveAsMember()
  const { page, wallet } = person
  await page.goto('/purchase')
  await connectWallet(person)
  await vi.waitFor(async () => expect(await readAddress(person)).toBe(wallet.address), { timeout: TIMEOUT })

  const another = wallet.chooseAnotherAccount()
  await addressInBar(person, another)
  await vi.waitFor(async () => expect(await readAddress(person)).toBe(another), { timeout: TIMEOUT })

  wallet.lock()
  await page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }).waitFor()
  await vi.waitFor(async () => expect(await readAddress(person)).toBeNull(), { timeout: TIMEOUT })
})

// The other errors that wallets answer with: switchToPaymentChain.test.ts.
test('a wallet without the chain gets it', async () => {
  await product.setUp()
  const person = await product.arriveAsMember()
  const { page, wallet } = person
  await page.goto('/purchase')
  await connectWallet(person)
  await reserveNodes(person, { quantity: 1, code: await person.makeCode() })
  wallet.answer('wallet_switchEthereumChain', {
    error: { code: -32603, message: 'Internal error.', data: { originalError: { code: 4902 } } },
  })
  await page.getByRole('button', { name: 'Switch to BNB Smart Chain' }).click()
  await page.getByRole('button', { name: 'Pay 3 USDT', exact: true }).waitFor()
  expect(wallet.requests.at(-1)).toMatchObject({ type: 'addChain', chainId: 56 })
})

test('a wallet that adds no chain or never answers times out, and can be switched by hand', async () => {
  await product.setUp()
  const person = await product.arriveAsMember()
  const { page, wallet } = person
  await page.clock.install()
  await page.goto('/purchase')
  await connectWallet(person)
  await reserveNodes(person, { quantity: 1, code: await person.makeCode() })
  const switchIt = page.getByRole('button', { name: 'Switch to BNB Smart Chain' })

  wallet.answer('wallet_addEthereumChain', { result: null })
  await switchIt.click()
  await expectToast(person, 'Network Addition Failed')

  wallet.answer('wallet_switchEthereumChain', 'never')
  await switchIt.click()
  await passTime(person)
  await expectToast(person, 'No Response From Your Wallet', 'Switch to BNB Smart Chain in your wallet, then continue.')

  // Switched by hand: only the wallet's chain has changed.
  wallet.answer('eth_chainId', { result: '0x38' })
  wallet.answer('eth_call', { result: `0x${(10n ** 21n).toString(16).padStart(64, '0')}` })
  await page.getByRole('button', { name: 'Pay 3 USDT', exact: true }).waitFor()

  // The user can also stop waiting for a transfer that is never answered.
  wallet.answer('eth_sendTransaction', 'never')
  await page.getByRole('button', { name: 'Pay 3 USDT', exact: true }).click()
  await passTime(person)
  await page.getByRole('button', { name: 'Stop waiting' }).click()
  await page.getByRole('button', { name: 'Pay 3 USDT', exact: true }).waitFor()
})
