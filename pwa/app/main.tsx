import '#pwa/ui/tokens.css'
import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { startInKeptLanguage, useLanguage } from '#pwa/i18n/language.ts'
import { followSystemTheme } from '#pwa/ui/theme.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { readFigures, restoreFigures } from '#pwa/lib/visitorFigures.ts'
import { pressAgain } from '#pwa/ui/pressAgain.ts'
import { App } from './App.tsx'
import { reloadOnceForNewChunks } from './reloadOnce.ts'
import { loadPage } from './pages.tsx'

followSystemTheme()
reloadOnceForNewChunks()
void import('./installation.ts').then(({ followInstallability }) => followInstallability())

void Promise.allSettled([loadPage(location.pathname), startInKeptLanguage()]).then(() => setTimeout(draw))

function draw() {
  const root = document.getElementById('root')!
  const queryClient = createQueryClient()
  const app = (
    <StrictMode>
      <BrowserRouter useTransitions={false}>
        <App queryClient={queryClient} />
      </BrowserRouter>
    </StrictMode>
  )
  const figures = readFigures()
  if (figures) restoreFigures(queryClient, figures)
  for (const element of root.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset.style!
    delete element.dataset.style
  }
  // The server draws in English: who has chosen another language has it drawn anew.
  if (figures && useLanguage.getState().language === 'en') {
    // In small steps, so that a slow phone follows a finger meanwhile.
    startTransition(() => void hydrateRoot(root, app))
    answerEarlyPress()
  } else createRoot(root).render(app)
  delete document.documentElement.dataset.waiting
  whenIdle(() => {
    void import('./serviceWorkerUpdates.ts').then(({ registerServiceWorker }) => registerServiceWorker())
    // Nobody translates a page that does not stand yet.
    void import('./surviveTranslation.ts').then(({ surviveTranslation }) => surviveTranslation())
  })
  window.wholeStyle = document.querySelector<HTMLMetaElement>('meta[name="late-style"]')?.content
}

/** Safari does not tell. */
const whenIdle = (work: () => void): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 200)

declare global {
  interface Window {
    /** The button that was pressed last before anything could answer: public/theme.js keeps it. */
    earlyPress?: { button: HTMLElement | null; stop: () => void }
    /** The style sheet that every further chunk waits for (vite.config.ts), if less than that is in the page. */
    wholeStyle?: string | undefined
  }
}

/** Presses again what was pressed on the page that the server had drawn. */
function answerEarlyPress() {
  const { earlyPress } = window
  earlyPress?.stop()
  if (earlyPress?.button?.isConnected) pressAgain(earlyPress.button)
}
