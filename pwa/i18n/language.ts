import { useSyncExternalStore } from 'react'
import { create } from 'zustand'
import { chosenLanguage, type Language, LANGUAGE_COOKIE, preferredLanguage } from '#shared/languages.ts'
import { DAY, SECOND } from '#shared/dates.ts'
import { isBusy } from '#pwa/lib/busy.ts'
import type { Texts } from './Texts.ts'

const COOKIE_AGE = (400 * DAY) / SECOND

/** What each audience reads. Nobody loads the words of the back office on the way to a purchase. */
const parts = {
  site: () => import('./ko/site.ts'),
  office: () => import('./ko/office.ts'),
}
export type Part = keyof typeof parts

interface Catalogue {
  language: Language
  /** Empty in English: the texts in the code are the English ones. */
  texts: Texts
  /** Those that the server sends. */
  serverTexts: Texts
}

const english: Catalogue = { language: 'en', texts: {}, serverTexts: {} }

/** The language that the page is shown in. Read it where something is drawn or said, never while a module is loaded. */
export const useLanguage = create<Catalogue>()(() => english)

const readLanguage = () => useLanguage.getState().language

/** For what is hydrated: the store's own hook is hydrated in English, whatever the server has drawn. */
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

/** Loads the words of a language; undefined if there is nothing to wait for. Call it before anything is drawn. */
export function startInLanguage(language: Language): Promise<void> | undefined {
  // Without its words the page stays as it is rather than missing.
  return language === useLanguage.getState().language
    ? undefined
    : show(language).catch((error: unknown) => console.info('The language could not be loaded', error))
}

/** Loads the words of another part of the product, before it is drawn. */
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
 * Shows the page in another language from now on. Everything is drawn anew, so it answers false and does nothing while a payment, a
 * code or a signature is in progress. Throws if the words cannot be loaded.
 */
export async function chooseLanguage(language: Language): Promise<boolean> {
  // Loading takes its time, and something may have begun meanwhile.
  await read(language)
  if (isBusy()) return false
  try {
    document.cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${COOKIE_AGE}; SameSite=Lax`
  } catch {
    // Cookies are denied in some in-app browsers: the choice holds until the page is closed.
  }
  await show(language)
  return true
}

/** The language that was chosen, or else the browser's. */
export function ownLanguage(): Language {
  const preferred = preferredLanguage(navigator.languages)
  try {
    return chosenLanguage(document.cookie) ?? preferred
  } catch {
    return preferred
  }
}
