import { expect, test } from 'vitest'
import { shorten } from '#shared/address.ts'
import { expectToast, type Member, pressPay, reserveNodes, useProduct } from './fixtures.ts'
import { startPhoneWallet } from './startPhoneWallet.ts'
import { startRelay, walletApp } from './startRelay.ts'

const product = useProduct({ env: { WALLETCONNECT_PROJECT_ID: 'test' } })
const PHONE = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36'

declare global {
  interface Window {
    openedApp?: string
  }
}

async function addRewardChain(member: Member) {
  const { page } = member
  await page.getByRole('button', { name: /^Account of / }).click()
  await page.getByRole('menuitem', { name: 'XCR Withdraw' }).click()
  const dialog = page.getByRole('dialog', { name: 'XCR Withdrawal' })
  await dialog.getByRole('button', { name: 'Wallet setup guide' }).click()
  await dialog.getByRole('button', { name: 'Add Network' }).click()
  await expectToast(member, 'Network Added')
  await dialog.getByRole('button', { name: 'Close', exact: true }).first().click()
}

test('a wallet in another app pays after a reload; once it is forgotten, only its owner connects it again', async () => {
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
  const isConfirming = page.getByRole('dialog', { name: 'Confirm your wallet' })
  // The wallet is registered, and read through the page's own connection to the chain.
  const isReady = page.getByText('1000 USDT in your wallet.')

  await page.goto('/purchase')
  await banner.getByRole('button', { name: 'Connect Wallet' }).click()
  await more.waitFor()
  // Its store is the first trace of WalletConnect.
  expect(await page.evaluate(() => indexedDB.databases())).toEqual([])
  const takeOut = phone.putAway()
  await more.click()
  await page.getByText('WalletConnect', { exact: true }).click()
  await phone.scan(await page.locator('wui-qr-code').evaluate((code: HTMLElement & { uri: string }) => code.uri))
  await isConfirming.waitFor()
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

  // The wallet goes there, but leaves the chain out of its connection.
  await page.getByRole('button', { name: 'Done' }).click()
  await addRewardChain(member)
  await page.reload()
  await connected.waitFor()

  // A connection that this browser has forgotten is not taken up again. A phone, which cannot scan its own code, opens the app.
  await page.evaluate(() => localStorage.removeItem('wallet_last_used'))
  const devTools = await context.newCDPSession(page)
  await devTools.send('Emulation.setUserAgentOverride', { userAgent: PHONE })
  await page.addInitScript(() => {
    window.open = (link) => {
      window.openedApp = String(link)
      return null
    }
  })
  await page.goto('/')
  await banner.getByRole('button', { name: 'Connect Wallet' }).click()
  await more.click()
  await page.getByText('All Wallets').click()
  // Recommended, and in the list.
  await page.getByText(walletApp).first().click()
  const opened = await page.waitForFunction(() => window.openedApp)
  await phone.scan(new URL((await opened.jsonValue())!).searchParams.get('uri')!)
  await connected.waitFor()
  await isConfirming.waitFor({ state: 'hidden' })

  await addRewardChain(member)
  // Nothing on this device says so otherwise.
  const takeOutAgain = phone.putAway()
  const another = await phone.chooseAnotherAccount()
  await isConfirming.waitFor()
  takeOutAgain()
  await banner.getByRole('button', { name: `Wallet ${shorten(another)}` }).waitFor()
  await isConfirming.waitFor({ state: 'hidden' })
  await phone.disconnect()
  await banner.getByRole('button', { name: 'Connect Wallet' }).waitFor()
  expect(await page.evaluate(() => localStorage.getItem('wallet_last_used'))).toBeNull()
  // The modal's font, which the page does not load, and the chain that the wallet does not know yet.
  const expected = /fonts\.googleapis\.com|Unrecognized chain ID/
  expect(member.errors.splice(0).filter((error) => !expected.test(error))).toEqual([])
})
