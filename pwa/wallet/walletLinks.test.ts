import { expect, test } from 'vitest'
import { isPhone, walletLinks } from './walletLinks.ts'

const page = new URL('https://nodes.example.com/purchase?from=mail')
const hrefs = Object.fromEntries(walletLinks.map(({ name, hrefOf }) => [name, hrefOf(page)]))

test('each wallet app gets the page in its own form', () => {
  expect(hrefs).toEqual({
    MetaMask: 'https://link.metamask.io/dapp/nodes.example.com/purchase?from=mail',
    'Trust Wallet':
      'https://link.trustwallet.com/open_url?coin_id=20000714&url=https%3A%2F%2Fnodes.example.com%2Fpurchase%3Ffrom%3Dmail',
    'OKX Wallet':
      'https://web3.okx.com/download?deeplink=okx%3A%2F%2Fwallet%2Fdapp%2Furl%3FdappUrl%3Dhttps%253A%252F%252Fnodes.example.com%252Fpurchase%253Ffrom%253Dmail',
  })
})

test('an iPad is a phone though it calls itself a Macintosh', () => {
  const userAgent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15'
  expect(isPhone({ userAgent, maxTouchPoints: 5 } as Navigator)).toBe(true)
  expect(isPhone({ userAgent, maxTouchPoints: 0 } as Navigator)).toBe(false)
})
