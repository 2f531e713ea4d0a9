import { expect, test } from 'vitest'
import { chosenLanguage, preferredLanguage } from './languages.ts'

test('the language that was chosen is read from the cookies, and nothing else is', () => {
  expect(chosenLanguage('a=1; language=ko; b=2')).toBe('ko')
  for (const cookies of ['', 'language=', 'language=fr', 'xlanguage=ko']) expect(chosenLanguage(cookies)).toBeUndefined()
})

test('the first preferred language that we speak is taken, with or without its country', () => {
  expect(preferredLanguage(['ko-KR', 'en-US'])).toBe('ko')
  expect(preferredLanguage(['fr-FR', 'KO'])).toBe('ko')
  expect(preferredLanguage(['en-GB', 'ko'])).toBe('en')
  for (const none of [[], ['fr'], ['kok']]) expect(preferredLanguage(none)).toBe('en')
})
