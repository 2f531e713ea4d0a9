import '#pwa/ui/tokens.css'
import { StrictMode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { startInKeptLanguage, useLanguage } from '#pwa/i18n/language.ts'
import { followSystemTheme } from '#pwa/ui/theme.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { readFigures, restoreFigures } from '#pwa/lib/visitorFigures.ts'
import { App } from './App.tsx'
import { reloadOnceForNewChunks } from './reloadOnce.ts'
import { loadPage } from './pages.tsx'
import { takeEarlyInput } from './takeEarlyInput.ts'

followSystemTheme()
reloadOnceForNewChunks()
void import('./installation.ts').then(({ followInstallability }) => followInstallability())

void Promise.allSettled([loadPage(location.pathname), startInKeptLanguage()]).then(() => whenIdle(draw))

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
  const repeatEarlyInput = takeEarlyInput(root)
  // The server draws in English: who has chosen another language has it drawn anew.
  if (figures && useLanguage.getState().language === 'en') {
    // In one task, so that nothing is typed or pressed in the middle of it.
    flushSync(() => void hydrateRoot(root, app))
    repeatEarlyInput()
  } else createRoot(root).render(app)
  delete document.documentElement.dataset.waiting
  whenIdle(() => {
    void import('./serviceWorkerUpdates.ts').then(({ registerServiceWorker }) => registerServiceWorker())
    // Nobody translates a page that does not stand yet.
    void import('./surviveTranslation.ts').then(({ surviveTranslation }) => surviveTranslation())
  })
}

/** Safari does not tell. */
const whenIdle = (work: () => void): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 200)
