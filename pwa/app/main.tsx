import '#pwa/ui/tokens.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startInKeptLanguage } from '#pwa/i18n/language.ts'
import { followSystemTheme } from '#pwa/ui/theme.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { App } from './App.tsx'
import { reloadOnceForNewChunks } from './reloadOnce.ts'
import { followInstallability } from './installation.ts'
import { loadPage } from './pages.tsx'
import { registerServiceWorker } from './serviceWorkerUpdates.ts'

followSystemTheme()
reloadOnceForNewChunks()
followInstallability()
void registerServiceWorker()
// Nobody translates a page that does not stand yet.
void import('./surviveTranslation.ts').then(({ surviveTranslation }) => surviveTranslation())

void Promise.allSettled([loadPage(location.pathname), startInKeptLanguage()]).then(draw)

function draw() {
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App queryClient={createQueryClient()} />
    </StrictMode>,
  )
}
