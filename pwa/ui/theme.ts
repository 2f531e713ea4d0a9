import { create } from 'zustand'
import { readStored, store } from '#pwa/lib/deviceStorage.ts'

export const themeChoices = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof themeChoices)[number]

const STORAGE_KEY = 'theme'
const systemIsDark = () => window.matchMedia('(prefers-color-scheme: dark)')

/** The chosen theme; `data-theme` on html has the effective one. */
export const useTheme = create<{ choice: ThemeChoice; choose: (choice: ThemeChoice) => void }>()((set) => ({
  // The server renders this value; followSystemTheme reads the stored choice.
  choice: 'system',
  choose: (choice) => {
    store(STORAGE_KEY, choice)
    set({ choice })
    applyTheme(choice)
  },
}))

/** Restores the stored choice and follows the system if that is chosen. Called once at start. */
export function followSystemTheme(): void {
  useTheme.setState({ choice: storedChoice() })
  applyTheme(useTheme.getState().choice)
  systemIsDark().addEventListener('change', () => applyTheme(useTheme.getState().choice))
}

function applyTheme(choice: ThemeChoice): void {
  const isDark = choice === 'dark' || (choice === 'system' && systemIsDark().matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  const background = getComputedStyle(document.documentElement).getPropertyValue('--ink-1')
  if (background) document.querySelector('meta[name=theme-color]')?.setAttribute('content', background)
  const manifest = document.querySelector('link[rel=manifest]')
  // The installed app's splash screen uses this color.
  manifest?.setAttribute('href', `/manifest${isDark ? '' : '-light'}.webmanifest`)
}

function storedChoice(): ThemeChoice {
  const stored = readStored(STORAGE_KEY)
  return themeChoices.find((choice) => choice === stored) ?? 'system'
}
