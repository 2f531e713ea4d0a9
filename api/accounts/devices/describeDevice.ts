/** The first match counts: most browsers also include the names of their ancestors. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bMetaMaskMobile\b/i, 'MetaMask'],
  [/\bTrust\/|\bTrustWallet\b/i, 'Trust Wallet'],
  [/\bOKApp\b|\bOKX\b/i, 'OKX'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bWhale\//, 'Whale'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

/** The common names of browser and system in a user agent: "Chrome on Android". */
export function describeDevice(userAgent: string | null): string {
  const find = (kinds: typeof browsers) => kinds.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const [browser, system] = [find(browsers), find(systems)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown device'
}
