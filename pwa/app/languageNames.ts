import type { Language } from '#shared/languages.ts'

/** Each in its own language, readable for speakers of it on any page. */
export const languageNames: Record<Language, string> = { en: 'English', ko: '한국어' }
