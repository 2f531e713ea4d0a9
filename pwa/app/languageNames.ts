import type { Language } from '#shared/languages.ts'

/** Each in its own language, for whoever cannot read the page. */
export const languageNames: Record<Language, string> = { en: 'English', ko: '한국어' }
