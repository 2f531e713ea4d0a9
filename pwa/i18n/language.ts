import { useSyncExternalStore } from 'react'
import { create } from 'zustand'
import { chosenLanguage, type Language, LANGUAGE_COOKIE, preferredLanguage } from '#shared/languages.ts'
import { DAY, SECOND } from '#shared/dates.ts'
import { isBusy } from '#pwa/lib/busy.ts'
import type { Texts } from './Texts.ts'

const COOKIE_AGE = (400 * DAY) / SECOND

/** The catalogue of each audience. Buyers do not load the back office's texts, nor those of the register before they open it. */
const parts = {
  site: () => import('./ko/site.ts'),
  office: () => import('./ko/office.ts'),
  register: () => import('./ko/register.ts'),
}
export type Part = keyof typeof parts

interface Catalogue {
  language: Language
  /** Empty in English: the texts in the code are the English ones. */
  texts: Texts
  /** Texts that the server sends. */
  serverTexts: Texts
}

const english: Catalogue = { language: 'en', texts: {}, serverTexts: {} }

/** The page's language. Read it during a render or an event, never while a module loads. */
export const useLanguage = create<Catalogue>()(() => english)

const readLanguage = () => useLanguage.getState().language

/** For hydrated components: the store's own hook hydrates with its initial English, whatever the server rendered. */
export const useCurrentLanguage = (): Language => useSyncExternalStore(useLanguage.subscribe, readLanguage, readLanguage)

const asked = new Set<Part>(['site'])

async function read(language: Language): Promise<Catalogue> {
  if (language === 'en') return english
  const loaded = await Promise.all([...asked].map((part) => parts[part]()))
  return {
    language,
    texts: Object.assign({}, ...loaded.map(({ texts }) => texts)) as Texts,
    serverTexts: Object.assign({}, ...loaded.map(({ serverTexts }) => serverTexts)) as Texts,
  }
}

async function show(language: Language): Promise<void> {
  const catalogue = await read(language)
  if (typeof document !== 'undefined') document.documentElement.lang = language
  useLanguage.setState(catalogue)
}

/** Loads a language's catalogue; undefined if none is needed. Call it before the first render. */
export function startInLanguage(language: Language): Promise<void> | undefined {
  // If the catalogue fails to load, the page stays in its language.
  return language === useLanguage.getState().language
    ? undefined
    : show(language).catch((error: unknown) => console.info('The language could not be loaded', error))
}

/** Loads the catalogue of another part of the product before that part renders. */
export async function loadPart(part: Part): Promise<void> {
  if (asked.has(part)) return
  asked.add(part)
  const { language } = useLanguage.getState()
  if (language === 'en') return
  try {
    await show(language)
  } catch (error) {
    asked.delete(part)
    console.info('The language could not be loaded', error)
  }
}

/**
 * Switches the page to another language. It returns false and does nothing during a payment, a code or a signature, whose texts
 * stay those that were read at the start. Throws if the catalogue cannot be loaded.
 */
export async function chooseLanguage(language: Language): Promise<boolean> {
  // Something may have begun while the catalogue loaded.
  await read(language)
  if (isBusy()) return false
  try {
    document.cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${COOKIE_AGE}; SameSite=Lax`
  } catch {
    // Some in-app browsers deny cookies: the choice then lasts until the page is closed.
  }
  await show(language)
  return true
}

/** The chosen language, or else the browser's. */
export function ownLanguage(): Language {
  const preferred = preferredLanguage(navigator.languages)
  try {
    return chosenLanguage(document.cookie) ?? preferred
  } catch {
    return preferred
  }
}
