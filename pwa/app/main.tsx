import '#pwa/ui/tokens.css'
import { StrictMode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import type { Language } from '#shared/languages.ts'
import { ownLanguage, startInLanguage } from '#pwa/i18n/language.ts'
import { followSystemTheme } from '#pwa/ui/theme.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { readFigures, restoreFigures } from '#pwa/lib/visitorFigures.ts'
import { App } from './App.tsx'
import { reloadOnceForNewChunks } from './reloadOnce.ts'
import { loadPage } from './pages.tsx'
import { prefetchForMember, prefetchForVisitor } from './prefetch.ts'
import { takeEarlyInput } from './takeEarlyInput.ts'

followSystemTheme()
reloadOnceForNewChunks()
void import('./installation.ts').then(({ followInstallability }) => followInstallability())

const figures = readFigures()
const root = document.getElementById('root')!
const isDrawn = root.hasChildNodes()
/** The server draws in the visitor's language and names it on the page. */
const language = isDrawn ? (document.documentElement.lang as Language) : ownLanguage()
void Promise.allSettled([loadPage(location.pathname), startInLanguage(language)]).then(() => (isDrawn ? whenIdle(draw) : draw()))

function draw() {
  const queryClient = createQueryClient()
  const app = (
    <StrictMode>
      <BrowserRouter useTransitions={false}>
        <App queryClient={queryClient} />
      </BrowserRouter>
    </StrictMode>
  )
  if (figures) restoreFigures(queryClient, figures, { isVisitors: isDrawn })
  for (const element of root.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset.style!
    delete element.dataset.style
  }
  if (isDrawn) {
    const repeatEarlyInput = takeEarlyInput(root)
    // In one task, so that nothing is typed or pressed in the middle of it.
    flushSync(() => void hydrateRoot(root, app))
    repeatEarlyInput()
    // The way back through the history may show a page from before another language was chosen.
    void startInLanguage(ownLanguage())
  } else createRoot(root).render(app)
  whenIdle(() => {
    void import('./serviceWorkerUpdates.ts').then(({ registerServiceWorker }) => registerServiceWorker())
    // Nobody translates a page that does not stand yet.
    void import('./surviveTranslation.ts').then(({ surviveTranslation }) => surviveTranslation())
    void (isDrawn ? prefetchForVisitor(location.pathname) : prefetchForMember())
  })
}

/** Milliseconds after which work that waits for an idle moment begins in a busy one: a page must be hydrated under any load. */
const IDLE_TIMEOUT = 500

/** Safari does not tell. */
const whenIdle = (work: () => void): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(work, { timeout: IDLE_TIMEOUT }) : setTimeout(work, 200)
