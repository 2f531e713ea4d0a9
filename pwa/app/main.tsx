import '#pwa/ui/tokens.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router-dom'
import { InLanguage } from '#pwa/i18n/InLanguage.tsx'
import { startInKeptLanguage } from '#pwa/i18n/language.ts'
import { followSystemTheme } from '#pwa/ui/theme.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { reloadOnceForNewChunks } from './reloadOnce.ts'
import { followInstallability } from './installation.ts'
import { createRouter } from './routes.tsx'
import { registerServiceWorker } from './serviceWorkerUpdates.ts'

followSystemTheme()
reloadOnceForNewChunks()
followInstallability()
void registerServiceWorker()
// Nobody translates a page that does not stand yet.
void import('./surviveTranslation.ts').then(({ surviveTranslation }) => surviveTranslation())

const waiting = startInKeptLanguage()
if (waiting) void waiting.then(draw)
else draw()

function draw() {
  const router = createRouter()
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={createQueryClient()}>
        <InLanguage>
          <RouterProvider router={router} />
        </InLanguage>
      </QueryClientProvider>
    </StrictMode>,
  )
}
