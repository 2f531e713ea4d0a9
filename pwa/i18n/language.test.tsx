import { act, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { startTask } from '#pwa/lib/busy.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { formatDate, formatDateTime } from '#pwa/lib/formatDate.ts'
import { InLanguage } from './InLanguage.tsx'
import { chooseLanguage, ownLanguage, startInLanguage, useLanguage } from './language.ts'
import { T } from './T.tsx'
import { msg, plural, t, translate, translateServerText } from './t.ts'

/** Loads Korean with these texts instead of the catalogue's. */
const loadKorean = (texts: Record<string, string>, serverTexts: Record<string, string> = {}) =>
  act(() => useLanguage.setState({ language: 'ko', texts, serverTexts }))

test('the page is English until another language is chosen, which is stored and set on the page', async () => {
  expect(startInLanguage(ownLanguage())).toBeUndefined()
  expect(t('Language')).toBe('Language')

  expect(await chooseLanguage('ko')).toBe(true)
  expect(t('Language')).toBe('언어')
  expect(document.documentElement.lang).toBe('ko')

  useLanguage.setState(useLanguage.getInitialState())
  await startInLanguage(ownLanguage())
  expect(t('Language')).toBe('언어')
})

test('the language cannot change during a payment, a code or a signature', async () => {
  const finish = startTask()
  expect(await chooseLanguage('ko')).toBe(false)
  expect(t('Language')).toBe('Language')
  expect(document.cookie).not.toContain('language=ko')
  finish()
})

test('the page renders again in the chosen language', async () => {
  const Shown = () => <p>{t('Language')}</p>
  render(<InLanguage render={() => <Shown />} />)
  await act(async () => void (await chooseLanguage('ko')))
  expect(screen.getByText('언어')).toBeVisible()
})

test('values are placed as the language requires, and numbers are grouped', () => {
  expect(t('Buy {count} nodes for {price}', { count: 12_000, price: '3 USDT' })).toBe('Buy 12,000 nodes for 3 USDT')
  loadKorean({ 'Buy {count} nodes for {price}': '{price}에 노드 {count}개 구매' })
  expect(t('Buy {count} nodes for {price}', { count: 12_000, price: '3 USDT' })).toBe('3 USDT에 노드 12,000개 구매')
})

test('singular and plural differ, and a message can be displayed later', () => {
  expect(plural(1, '{count} node', '{count} nodes')).toBe('1 node')
  expect(plural(0, '{count} node', '{count} nodes')).toBe('0 nodes')
  expect(plural(2, '{count} node of {name}', '{count} nodes of {name}', { name: 'mara' })).toBe('2 nodes of mara')
  const later = msg('Hello {name}')
  loadKorean({ 'Hello {name}': '{name}님, 안녕하세요' })
  expect(translate(later, { name: 'mara' })).toBe('mara님, 안녕하세요')
})

test('a sentence keeps its links wherever the language puts them', () => {
  const { container } = render(
    <InLanguage
      render={() => <T text="Read <faq>the <b>FAQ</b></faq> first, {name}." name={<i>mara</i>} faq={link} b={bold} />}
    />,
  )
  expect(container.innerHTML).toBe('Read <a href="/faq">the <b>FAQ</b></a> first, <i>mara</i>.')
  loadKorean({ 'Read <faq>the <b>FAQ</b></faq> first, {name}.': '{name}님, 먼저 <faq><b>FAQ</b>를</faq> 읽어 주세요.' })
  expect(container.innerHTML).toBe('<i>mara</i>님, 먼저 <a href="/faq"><b>FAQ</b>를</a> 읽어 주세요.')
})

test('server texts are matched by pattern, and shown unchanged without a translation', () => {
  loadKorean({}, { 'Gone.': '없습니다.', 'You need {amount} USDT (now).': '지금 {amount} USDT가 필요합니다.' })
  expect(translateServerText('Gone.')).toBe('없습니다.')
  expect(translateServerText('You need 30.5 USDT (now).')).toBe('지금 30.5 USDT가 필요합니다.')
  expect(translateServerText('Something else.')).toBe('Something else.')
})

test('of several matching patterns the most specific wins, and its values are translated too', () => {
  loadKorean({}, { '{count} minutes': '{count}분', '{count} left, the oldest for {age}': '{count}건, {age} 경과' })
  expect(translateServerText('2, maybe 3 left, the oldest for 4 minutes')).toBe('2, maybe 3건, 4분 경과')
})

test('dates and numbers follow the language and stay in UTC', () => {
  const date = new Date('2026-11-20T23:31:00Z')
  expect(formatDateTime(date)).toBe('20 Nov 2026, 23:31 UTC')
  loadKorean({})
  expect(formatDateTime(date)).toBe('2026년 11월 20일 23:31 UTC')
  expect(formatDate(date)).toBe('2026년 11월 20일')
  expect(formatDate(new Date('2026-12-02T00:00:00Z'))).toBe('2026년 12월 2일')
  expect(formatCount(20_000)).toBe('20,000')
})

// Checked by the compiler: each of these calls is wrong.
export const mistakes = () => {
  // @ts-expect-error a value is missing
  t('Buy {count} nodes')
  // @ts-expect-error another name
  t('Buy {count} nodes', { amount: 1 })
  // @ts-expect-error there is nothing to fill in
  t('Buy nodes', { count: 1 })
  // @ts-expect-error not marked as a message
  translate('Buy nodes')
  // @ts-expect-error its tag is missing
  return <T text="Read <faq>the FAQ</faq>" />
}

const link = (inside: ReactNode) => <a href="/faq">{inside}</a>
const bold = (inside: ReactNode) => <b>{inside}</b>
