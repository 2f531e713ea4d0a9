import { expect, test } from 'vitest'
import { chosenLanguage, preferredLanguage } from './languages.ts'

test('the chosen language is read from the cookies, and nothing else is', () => {
  expect(chosenLanguage('a=1; language=ko; b=2')).toBe('ko')
  for (const cookies of ['', 'language=', 'language=fr', 'xlanguage=ko']) expect(chosenLanguage(cookies)).toBeUndefined()
})

test('the first available preferred language is chosen, with or without its region', () => {
  expect(preferredLanguage(['ko-KR', 'en-US'])).toBe('ko')
  expect(preferredLanguage(['fr-FR', 'KO'])).toBe('ko')
  expect(preferredLanguage(['en-GB', 'ko'])).toBe('en')
  for (const none of [[], ['fr'], ['kok']]) expect(preferredLanguage(none)).toBe('en')
})
