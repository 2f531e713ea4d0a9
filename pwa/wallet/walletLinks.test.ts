import { expect, test, vi } from 'vitest'
import { isPhone, pageToOpen, walletLinks } from './walletLinks.ts'

const page = new URL('https://nodes.example.com/purchase?from=mail&n=10')
const plain = 'https%3A%2F%2Fnodes.example.com%2Fpurchase%3Ffrom%3Dmail%26n%3D10'
const twice = 'https%253A%252F%252Fnodes.example.com%252Fpurchase%253Ffrom%253Dmail%2526n%253D10'

test.each([
  ['MetaMask', 'https://link.metamask.io/dapp/nodes.example.com/purchase?from=mail&n=10'],
  ['Trust Wallet', `https://link.trustwallet.com/open_url?coin_id=20000714&url=${plain}`],
  ['OKX Wallet', `https://web3.okx.com/download?deeplink=okx%3A%2F%2Fwallet%2Fdapp%2Furl%3FdappUrl%3D${twice}`],
  ['Coinbase Wallet (Base app)', `https://go.cb-w.com/dapp?cb_url=${plain}`],
  [
    'TokenPocket',
    `tpdapp://open?params=%7B%22url%22%3A%22${plain}%22%2C%22chain%22%3A%22BSC%22%2C%22source%22%3A%22nodes.example.com%22%7D`,
  ],
])('%s gets the page in its own form', (name, href) => {
  expect(walletLinks.find((link) => link.name === name)?.hrefOf(page)).toBe(href)
})

test('every wallet in the list is in the table above', () => {
  expect(walletLinks).toHaveLength(5)
})

test("the URL's fragment is not passed to another browser", () => {
  expect(pageToOpen({ href: 'https://nodes.example.com/purchase?n=10#content' } as Location).href).toBe(
    'https://nodes.example.com/purchase?n=10',
  )
})

test('an iPad is a phone although it identifies as a Macintosh', () => {
  const userAgent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15'
  expect(isPhone({ userAgent, maxTouchPoints: 5 } as Navigator)).toBe(true)
  expect(isPhone({ userAgent, maxTouchPoints: 0 } as Navigator)).toBe(false)
})

test('a touch-only device is a phone although it requests desktop sites', () => {
  const desktop = {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0',
    maxTouchPoints: 5,
  } as Navigator
  expect(isPhone(desktop)).toBe(false)
  vi.spyOn(globalThis, 'matchMedia').mockImplementation(
    (media) => ({ media, matches: media === '(hover: none) and (pointer: coarse)' }) as MediaQueryList,
  )
  expect(isPhone(desktop)).toBe(true)
})
