import { type Language, useLanguage } from '#pwa/i18n/language.ts'

const grouped: Record<Language, Intl.NumberFormat> = { en: new Intl.NumberFormat('en-US'), ko: new Intl.NumberFormat('ko-KR') }

/** 20,000 */
export const formatCount = (count: number): string => grouped[useLanguage.getState().language].format(count)
