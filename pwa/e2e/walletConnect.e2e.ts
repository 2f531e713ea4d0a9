import { expect, test } from 'vitest'
import { shorten } from '#shared/address.ts'
import { pressPay, reserveNodes, useProduct } from './fixtures.ts'
import { startPhoneWallet } from './startPhoneWallet.ts'
import { startRelay } from './startRelay.ts'

const product = useProduct({ env: { WALLETCONNECT_PROJECT_ID: 'test' } })

test('a wallet in another app pays after a reload; once it is forgotten, only a new code connects it', async () => {
  await product.setUp()
  const relay = await startRelay()
  const phone = await startPhoneWallet({ relay, rpcUrl: product.running().paymentRpcUrl })
  const member = await product.arriveAsMember({ isRich: false })
  const { page, context } = member
  await relay.serve(context)
  await product.fund({ ...member, wallet: { ...member.wallet, address: phone.address } })
  const banner = page.getByRole('banner')
  const connected = banner.getByRole('button', { name: `Wallet ${shorten(phone.address)}` })
  const more = page.getByRole('dialog').getByRole('button', { name: 'More wallets' })
  async function scanNewCode() {
    await more.click()
    await page.getByText('WalletConnect', { exact: true }).click()
    await phone.scan(await page.locator('wui-qr-code').evaluate((code: HTMLElement & { uri: string }) => code.uri))
  }
  // The wallet is registered, and read through the page's own connection to the chain.
  const isReady = page.getByText('1000 USDT in your wallet.')

  await page.goto('/purchase')
  await banner.getByRole('button', { name: 'Connect Wallet' }).click()
  await more.waitFor()
  // Its store is the first trace of WalletConnect.
  expect(await page.evaluate(() => indexedDB.databases())).toEqual([])
  const takeOut = phone.putAway()
  await scanNewCode()
  await page.getByRole('dialog', { name: 'Confirm your wallet' }).waitFor()
  takeOut()
  await isReady.waitFor()
  expect(phone.requests).toMatchObject([{ type: 'sign' }])

  await page.reload()
  await isReady.waitFor()
  await connected.waitFor()
  await reserveNodes(member, { quantity: 1, code: await member.makeCode() })
  await pressPay(member)
  await page.getByText(/^Node [\d,]+ is yours\.$/).waitFor()
  expect(phone.requests).toMatchObject([{ type: 'sign' }, { type: 'send', chainId: 56 }])

  // A connection that this browser has forgotten is not taken up again.
  await page.evaluate(() => localStorage.removeItem('wallet_last_used'))
  await page.goto('/')
  await banner.getByRole('button', { name: 'Connect Wallet' }).click()
  await scanNewCode()
  await connected.waitFor()
  await phone.disconnect()
  await banner.getByRole('button', { name: 'Connect Wallet' }).waitFor()
  expect(await page.evaluate(() => localStorage.getItem('wallet_last_used'))).toBeNull()
  // The modal's font, which the page does not load.
  expect(member.errors.splice(0).filter((error) => !error.includes('fonts.googleapis.com'))).toEqual([])
})
