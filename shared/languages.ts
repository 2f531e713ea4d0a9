/** What the page and its mails are written in. The texts in the code are the English ones. */
export const languages = ['en', 'ko'] as const
export type Language = (typeof languages)[number]

/** Holds the language that was chosen on the page: the server draws the next visit in it. */
export const LANGUAGE_COOKIE = 'language'

/** The language chosen in a `Cookie` header or in `document.cookie`, which have the same form. */
export function chosenLanguage(cookies: string): Language | undefined {
  const pairs = cookies.split(';').map((pair) => pair.trim())
  return languages.find((language) => pairs.includes(`${LANGUAGE_COOKIE}=${language}`))
}

/** The first of the preferred languages that we speak. `ko-KR` is Korean. */
export const preferredLanguage = (tags: readonly string[]): Language =>
  tags.map((tag) => languages.find((language) => language === tag.toLowerCase().split('-')[0])).find(Boolean) ?? 'en'
