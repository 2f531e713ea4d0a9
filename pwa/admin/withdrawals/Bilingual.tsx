import { useLanguage } from '#pwa/i18n/language.ts'

interface Label {
  ko: string
  en: string
}

/** A Korean label, with the English text beside it on the English page. */
export const Bilingual = ({ ko, en }: Label) => (
  <>
    <span lang="ko">{ko}</span>
    {isEnglish() && (
      <>
        {' '}
        <span className="font-normal text-ink-9">{en}</span>
      </>
    )}
  </>
)

/** The same as plain text. */
export const bilingualText = ({ ko, en }: Label): string => (isEnglish() ? `${ko} ${en}` : ko)

const isEnglish = (): boolean => useLanguage.getState().language === 'en'
