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

interface RenderedPage {
  title: string
  content: string
}

/** The same titles as `usePageTitle` sets. */
const titles: Record<string, () => string> = {
  '/': () => t('Dashboard'),
  '/purchase': () => t('Node Purchase'),
  '/auth': () => t('Log in'),
  '/about': () => t('About'),
}

let lastRender: Promise<unknown> = Promise.resolve()

/** Renders a page as a visitor sees it. Rejects if any part fails to render. */
export function renderPage(path: string, figures: VisitorFigures, language: Language): Promise<RenderedPage> {
  // One render at a time, because the language is a global.
  const rendered = lastRender.then(async () => {
    await startInLanguage(language)
    return { title: titles[path]!(), content: await renderContent(path, figures) }
  })
  lastRender = rendered.catch(() => undefined)
  return rendered
}

async function renderContent(path: string, figures: VisitorFigures): Promise<string> {
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
    // Everything inline: streaming parts later needs inline scripts, which the Content-Security-Policy refuses.
    { progressiveChunkSize: Number.MAX_SAFE_INTEGER, onError: (error) => void (failure ??= error) },
  )
  const html = await text(prelude)
  queryClient.clear()
  if (failure !== undefined) throw failure
  // The policy also refuses style attributes in markup. main.tsx applies them by script.
  return html.replaceAll(' style="', ' data-style="')
}
