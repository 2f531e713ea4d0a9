import { expect, test } from 'vitest'
import { findWordsProblem } from './announcementRules.ts'

const problemOf = (words: string) => findWordsProblem(words, { isLine: false, ifEmpty: 'Empty.' })

test.each([
  'Withdrawals pause on 3 May from 09:00 to 10:30 UTC.\nNothing is lost.',
  'The fee is 0.5 XCR (before: 2.25 XCR). That is 77.5% less.',
  '2026.11.24 점검이 있습니다. 불편을 드려 죄송합니다.',
  'Thank you!  🎉',
])('plain words are allowed: %s', (words) => expect(problemOf(words)).toBeUndefined())

test.each([
  'See https://evil.example/claim',
  'javascript://x',
  'WWW.evil',
  'Go to xcr-nodes.app now',
  'xn--nodes-9za.com',
  '한국.한국',
  'evil.co/x',
  'evil .com',
  'evil．com',
  'evil｡com',
  'evil。com',
  'evil․com',
  'ｅｖｉｌ.ｃｏｍ',
  '𝐞𝐯𝐢𝐥.𝐜𝐨𝐦',
  '203.0.113.7/claim',
  'Write to help＠evil',
  'Telegram: @xcr_support',
  'Send USDT to 0xdAC17F958D2ee523a2206206994597C13D831ec7',
  'Send USDT to 0xdAC17F…',
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
])('what leads elsewhere is refused: %s', (words) => expect(problemOf(words)).toMatch(/^Links, domains/))

test.each(['evil.c\u200bom', 'safe\u202emoc.live', 'evil.\u00adcom', 'a\u3164b', 'a\tb', 'a\u0007b'])(
  'characters that are not seen are refused: %j',
  (words) => expect(problemOf(words)).toMatch(/^Invisible/),
)

test('a line has no breaks, and nothing is empty', () => {
  expect(findWordsProblem('one\ntwo', { isLine: true, ifEmpty: 'Empty.' })).toMatch(/^Invisible/)
  expect(problemOf(' \n ')).toBe('Empty.')
})
