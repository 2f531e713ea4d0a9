/** The languages of the page and its emails. The texts in the code are English. */
export const languages = ['en', 'ko'] as const
export type Language = (typeof languages)[number]

/** Cookie with the chosen language, so that the server renders the next visit in it. */
export const LANGUAGE_COOKIE = 'language'

/** The chosen language from a `Cookie` header or `document.cookie`, which have the same format. */
export function chosenLanguage(cookies: string): Language | undefined {
  const pairs = cookies.split(';').map((pair) => pair.trim())
  return languages.find((language) => pairs.includes(`${LANGUAGE_COOKIE}=${language}`))
}

/** The first preferred language that is available. `ko-KR` matches Korean. */
export const preferredLanguage = (tags: readonly string[]): Language =>
  tags.map((tag) => languages.find((language) => language === tag.toLowerCase().split('-')[0])).find(Boolean) ?? 'en'
