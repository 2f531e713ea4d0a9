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
import { replayEarlyInput } from './replayEarlyInput.ts'

followSystemTheme()
reloadOnceForNewChunks()
void import('./installation.ts').then(({ followInstallability }) => followInstallability())

const figures = readFigures()
const root = document.getElementById('root')!
const isServerRendered = root.hasChildNodes()
/** The server renders in the visitor's language and sets it on the html element. */
const language = isServerRendered ? (document.documentElement.lang as Language) : ownLanguage()
void Promise.allSettled([loadPage(location.pathname), startInLanguage(language)]).then(() =>
  isServerRendered ? whenIdle(renderApp) : renderApp(),
)

function renderApp() {
  const queryClient = createQueryClient()
  const app = (
    <StrictMode>
      <BrowserRouter useTransitions={false}>
        <App queryClient={queryClient} />
      </BrowserRouter>
    </StrictMode>
  )
  if (figures) restoreFigures(queryClient, figures, { isVisitors: isServerRendered })
  for (const element of root.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = element.dataset.style!
    delete element.dataset.style
  }
  if (isServerRendered) {
    const replayInput = replayEarlyInput(root)
    // In one task, so that no input arrives in between.
    flushSync(() => void hydrateRoot(root, app))
    replayInput()
    // A Back navigation may restore a page from before the language was changed.
    void startInLanguage(ownLanguage())
  } else {
    // There is nothing to replay, but it would mark every later press as busy.
    window.earlyInput?.stop()
    createRoot(root).render(app)
  }
  whenIdle(() => {
    void import('./serviceWorkerUpdates.ts').then(({ registerServiceWorker }) => registerServiceWorker())
    // Browsers translate a page only after it has loaded.
    void import('./tolerateTranslation.ts').then(({ tolerateTranslation }) => tolerateTranslation())
    void (isServerRendered ? prefetchForVisitor(location.pathname) : prefetchForMember())
  })
}

/** Milliseconds after which deferred work starts even if the browser is never idle. */
const IDLE_TIMEOUT = 500

/** Safari has no requestIdleCallback. */
const whenIdle = (work: () => void): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(work, { timeout: IDLE_TIMEOUT }) : setTimeout(work, 200)
