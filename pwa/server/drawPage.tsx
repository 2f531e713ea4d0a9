import { text } from 'node:stream/consumers'
import { StrictMode } from 'react'
import { prerenderToNodeStream } from 'react-dom/static'
import { StaticRouter } from 'react-router-dom'
import { App } from '#pwa/app/App.tsx'
import { loadPage } from '#pwa/app/pages.tsx'
import type { Language } from '#shared/languages.ts'
import { startInLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { restoreFigures, type VisitorFigures } from '#pwa/lib/visitorFigures.ts'

interface DrawnPage {
  title: string
  content: string
}

/** As the pages name themselves (usePageTitle). */
const titles: Record<string, () => string> = {
  '/': () => t('Dashboard'),
  '/purchase': () => t('Node Purchase'),
  '/auth': () => t('Log in'),
  '/about': () => t('About'),
}

let lastDrawn: Promise<unknown> = Promise.resolve()

/** Draws a page as somebody sees it who is not logged in. Rejects if anything of it cannot be drawn. */
export function drawPage(path: string, figures: VisitorFigures, language: Language): Promise<DrawnPage> {
  // One after the other: there is one language at a time.
  const drawn = lastDrawn.then(async () => {
    await startInLanguage(language)
    return { title: titles[path]!(), content: await drawContent(path, figures) }
  })
  lastDrawn = drawn.catch(() => undefined)
  return drawn
}

async function drawContent(path: string, figures: VisitorFigures): Promise<string> {
  const queryClient = createQueryClient()
  restoreFigures(queryClient, figures, { isVisitors: true })
  await loadPage(path)
  let failure: unknown
  const { prelude } = await prerenderToNodeStream(
    <StrictMode>
      <StaticRouter location={path}>
        <App queryClient={queryClient} />
      </StaticRouter>
    </StrictMode>,
    // All of it in its place: moving parts there would take scripts inside the page, which the Content-Security-Policy refuses.
    { progressiveChunkSize: Number.MAX_SAFE_INTEGER, onError: (error) => void (failure ??= error) },
  )
  const html = await text(prelude)
  queryClient.clear()
  if (failure !== undefined) throw failure
  // Nor does it let elements bring their style along. main.tsx gives it to them.
  return html.replaceAll(' style="', ' data-style="')
}
