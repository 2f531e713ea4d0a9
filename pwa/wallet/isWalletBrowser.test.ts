import { afterEach, expect, test, vi } from 'vitest'
import { isWalletBrowser } from './isWalletBrowser.ts'

const android = 'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/153.0 Mobile Safari/537.36'
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148'
const desktop = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/153.0 Safari/537.36'

const isDetected = (userAgent: string) => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(userAgent)
  return isWalletBrowser()
}

afterEach(() => void Reflect.deleteProperty(window, 'ethereum'))

test.each([
  `${iPhone} WebView MetaMaskMobile`,
  `${android} MetaMaskMobile`,
  `${android} Trust/14.2`,
  `${iPhone} TrustWallet`,
  `${android} imToken/2.18.1`,
  `${android} TokenPocket_Android`,
  `${iPhone} OKApp/(OKEx/6.90)`,
  `${android} BitKeep/8.2`,
  `${android} SafePal/4.0`,
  `${iPhone} CoinbaseWallet`,
  `${android} BNC/2.90`,
])('it is detected by its user agent: %s', (userAgent) => {
  expect(isDetected(userAgent)).toBe(true)
})

test('it is detected by an injected provider on a phone', () => {
  expect(isDetected(android)).toBe(false)
  Object.assign(window, { ethereum: {} })
  expect(isDetected(android)).toBe(true)
  expect(isDetected(iPhone)).toBe(true)
})

test('an extension on desktop is not a wallet browser', () => {
  Object.assign(window, { ethereum: {} })
  expect(isDetected(desktop)).toBe(false)
})
