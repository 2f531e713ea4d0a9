import { create } from 'zustand'

export const themeChoices = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof themeChoices)[number]

const STORAGE_KEY = 'theme'
const systemIsDark = () => window.matchMedia('(prefers-color-scheme: dark)')

/** The page's theme as chosen by the person; `data-theme` on html carries what comes of it. */
export const useTheme = create<{ choice: ThemeChoice; choose: (choice: ThemeChoice) => void }>()((set) => ({
  // As the server draws it; followSystemTheme reads what was stored.
  choice: 'system',
  choose: (choice) => {
    try {
      localStorage.setItem(STORAGE_KEY, choice)
    } catch {
      // Storage is denied in some in-app browsers: the choice holds until the page is closed.
    }
    set({ choice })
    applyTheme(choice)
  },
}))

/** Takes up the stored choice, and follows the system while that is the choice. Called once, at start. */
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
  // Of the app that is installed from this page: its splash is as bright as the page.
  manifest?.setAttribute('href', `/manifest${isDark ? '' : '-light'}.webmanifest`)
}

function storedChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(STORAGE_KEY)
    return themeChoices.find((choice) => choice === stored) ?? 'system'
  } catch {
    return 'system'
  }
}
