import { expect, test } from 'vitest'
import { readServerTexts, readTexts, withoutNames } from '#pwa/testing/readTexts.ts'
import * as office from './ko/office.ts'
import * as register from './ko/register.ts'
import * as site from './ko/site.ts'

/** Folders of pwa/ in which every text must be in the catalogue. */
const heldFolders = [
  'admin',
  'app',
  'features/about',
  'features/auth',
  'features/captcha',
  'features/dashboard',
  'features/freeze',
  'features/history',
  'features/proof',
  'features/purchase',
  'features/register',
  'features/security',
  'features/serverNotice',
  'features/setup',
  'features/status',
  'features/wallet',
  'features/withdrawal',
  'i18n',
  'lib',
  'ui',
  'wallet',
]

/** The same in every language: names, units, and input examples. */
const sameEverywhere = new Set([
  'XCR',
  'XP',
  'USDT',
  'USD',
  'BNB',
  'BEP20',
  'CSV',
  'Koinly',
  'XCR Nodes',
  'English',
  'UTC',
  'BNB Smart Chain',
  'Trust Wallet',
  'OKX Wallet',
  'Bitget Wallet',
  'Binance Wallet',
  'Coinbase Wallet',
  'Coinbase Wallet (Base app)',
  '000000',
  '0x',
  '0x...',
  'name@example.com',
  // Field names of the API.
  'paymentStatus:',
  'purchaseResult:',
  'ABCDE-FGHJK',
])
/** Texts that the specification prints in Korean. */
const isKorean = (text: string): boolean => /\p{Script=Hangul}/u.test(text)

const folder = (file: string): string => file.split('/')[1]!
const { used, faults, bare } = readTexts(
  'pwa',
  (text) =>
    isKorean(text) ||
    text.split(/[\s·…/()]+/).every((word) => !/\p{L}/u.test(word) || sameEverywhere.has(word)) ||
    sameEverywhere.has(text),
)

const isHeld = (place: string) => heldFolders.some((held) => `${place.split(':')[0]}/`.startsWith(`pwa/${held}/`))
const isOfRegister = (place: string) => /^pwa\/features\/(register|proof)\//.test(place)
const names = (text: string) => [...text.matchAll(/\{\w+\}|<\/?\w+>/g)].map(([name]) => name).toSorted()

test('every text is a literal, and none is read before the language is known', () => {
  expect(faults).toEqual([])
})

test("every text of the page has a Korean translation in its folder's catalogue", () => {
  const hasPart = ({ text, place }: (typeof used)[number]) =>
    (folder(place) === 'admin' && text in office.texts) || (isOfRegister(place) && text in register.texts)
  const missing = used.filter((one) => !(one.text in site.texts) && !hasPart(one))
  expect(missing.map(({ text, place }) => `${place}: ${text}`)).toEqual([])
})

test('no Korean translation is unused or duplicated', () => {
  const shown = new Set(used.map(({ text }) => text))
  const all = [site, office, register].flatMap(({ texts }) => Object.keys(texts))
  expect(all.filter((text) => !shown.has(text))).toEqual([])
  expect(all.filter((text, at) => all.indexOf(text) !== at)).toEqual([])
  expect(site.repeated).toEqual([])
  expect(office.repeated).toEqual([])
})

test('each translation is Korean and has the values and tags of the English text', () => {
  const pairs = [site.texts, site.serverTexts, office.texts, office.serverTexts, register.texts].flatMap((texts) =>
    Object.entries(texts),
  )
  expect(pairs.filter(([, korean]) => !isKorean(korean))).toEqual([])
  expect(pairs.filter(([english, korean]) => names(english).join() !== names(korean).join())).toEqual([])
})

test('every text in a checked folder goes through the catalogue', () => {
  expect(bare.filter(isHeld)).toEqual([])
})

test('every server text has a Korean translation, and none is outdated', () => {
  const { said, all } = readServerTexts(['api', 'shared'])
  const korean = Object.keys({ ...site.serverTexts, ...office.serverTexts })
  const known = new Set(korean.map(withoutNames))
  expect(said.filter(({ text }) => !known.has(text)).map(({ text, place }) => `${place}: ${text}`)).toEqual([])
  expect(korean.filter((text) => !all.has(withoutNames(text)))).toEqual([])
})
