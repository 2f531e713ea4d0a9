import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { build, minifySync, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'

/** The page with gaps that the server fills: `title`, the empty root, and the preloaded figures after it. */
export interface VisitorTemplate {
  html: string
  /** Preloads the Korean catalogue; inserted at the end of the head. */
  korean: string
  /** The inline style and script, whose hashes the Content-Security-Policy lists. */
  inline: { style: string; script: string }
}

/** A route's page for visitors and for users who may be logged in. The browser renders the second one. */
export interface PlaceTemplates {
  visitor: VisitorTemplate
  member: VisitorTemplate
}

/** The pages that visitors come to first, by their modules. */
const pages: Record<string, string> = {
  '/': 'features/dashboard/DashboardPage.tsx',
  '/purchase': 'features/purchase/PurchasePage.tsx',
  '/auth': 'features/auth/AuthPage.tsx',
  '/about': 'features/about/AboutPage.tsx',
}

/** Modules that a logged-in user needs first, besides those of the route, and the modules that fetch their data. */
const memberModules = ['lib/api.ts', 'shared/contract/identity.ts', 'shared/contract/nodes.ts', 'shared/contract/purchases.ts']
const memberViews: Record<string, string[]> = { '/': ['features/dashboard/HolderView.tsx'] }
/** A user's own figures, requested before any script loads. pwa/lib/earlyAnswers.ts picks up the answers. */
const memberCalls: Record<string, string[]> = { '/': ['/api/user/nodes', '/api/node-purchases'] }

/** Builds the server renderer beside the page. The name of its folder keeps it from being served. */
export function serverRendering(): Plugin {
  let config: ResolvedConfig
  let templates: Record<string, PlaceTemplates> | undefined
  return {
    name: 'server-rendering',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    writeBundle: {
      order: 'post',
      handler(_options, bundle) {
        const headScripts = [path.join(import.meta.dirname, 'earlyInput.js'), path.join(config.publicDir, 'theme.js')]
        templates = makeTemplates(bundle, minify(headScripts))
      },
    },
    async closeBundle() {
      if (!templates) return
      const outDir = path.resolve(config.root, config.build.outDir, '.server')
      mkdirSync(outDir, { recursive: true })
      writeFileSync(path.join(outDir, 'templates.json'), JSON.stringify(templates))
      templates = undefined
      await build({
        configFile: false,
        root: config.root,
        logLevel: 'error',
        plugins: [react()],
        ssr: { noExternal: true },
        build: {
          ssr: path.join(import.meta.dirname, 'renderPage.tsx'),
          outDir,
          emptyOutDir: false,
          copyPublicDir: false,
          minify: false,
          assetsInlineLimit: 0,
          // The server never renders these.
          rolldownOptions: {
            external: /^(@web3modal|@wagmi|wagmi|viem|altcha|qrcode)(\/|$)/,
            output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
          },
        },
      })
    },
  }
}

const minify = (files: string[]): string => files.map((file) => minifySync(file, readFileSync(file, 'utf8')).code).join('\n')

/**
 * The built page for each route that visitors open. Its style is inline, which saves a round trip before the first paint. All
 * scripts of the route are preloaded at low priority, so they do not delay that paint.
 */
function makeTemplates(bundle: Rolldown.OutputBundle, script: string): Record<string, PlaceTemplates> {
  const built = bundle['index.html']
  if (built?.type !== 'asset') return {}
  const html = String(built.source)
  const sheet = take(html, /<link rel="stylesheet"[^>]*href="\/([^"]+)"[^>]*>/)
  const file = bundle[sheet.file]
  if (file?.type !== 'asset') throw new Error(`${sheet.file} was not built.`)
  const style = String(file.source).trim()
  // A chunk loads its style sheet unless the page has a link to it. A disabled link counts but is not fetched. A script adds the
  // link, because the browser's preload scanner fetches disabled links in the markup too.
  const link = `{const l=document.createElement('link');l.rel='stylesheet';l.disabled=true;l.href='/${sheet.file}';document.head.append(l)}`

  const makeTemplate = (modules: string[], inlineScript: string): VisitorTemplate => {
    const isNew = (name: string) => !html.includes(`src="/${name}"`)
    const scripts = [...new Set(modules.flatMap((module) => scriptsOf(bundle, module)))].filter(isNew)
    const korean = scriptsOf(bundle, 'i18n/ko/site.ts').filter((name) => isNew(name) && !scripts.includes(name))
    const text = html
      .replaceAll('<script type="module"', '<script type="module" fetchpriority="low"')
      // Functions as replacements: the inserted text may contain `$` patterns that `replace` would expand.
      .replace(sheet.tag, () => `<style>${style}</style>${preload(scripts)}`)
      .replace('<script src="/theme.js"></script>', () => `<script>${inlineScript}</script>`)
    return { html: text, korean: preload(korean), inline: { style, script: inlineScript } }
  }
  return Object.fromEntries(
    Object.entries(pages).map(([at, page]) => [
      at,
      {
        visitor: makeTemplate([page], script + link),
        member: makeTemplate(
          [page, ...memberModules, ...(memberViews[at] ?? [])],
          `${earlyRequestScript(memberCalls[at] ?? [])}${script}${link}`,
        ),
      },
    ]),
  )
}

const earlyRequestScript = (paths: string[]): string => {
  const calls = ['/api/auth/user', ...paths].map((at) => `'${at}':fetch('${at}',{cache:'no-cache'})`)
  return `window.earlyAnswers={${calls.join()}};`
}

const preload = (files: string[]): string =>
  files.map((name) => `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${name}">`).join('')

function take(html: string, pattern: RegExp): { tag: string; file: string } {
  const [tag, file] = pattern.exec(html) ?? []
  if (!tag || !file) throw new Error(`The page that was built has no ${pattern}.`)
  return { tag, file }
}

/** The file that contains a module, and all files it imports. */
function scriptsOf(bundle: Rolldown.OutputBundle, module: string): string[] {
  const needed = new Set<string>()
  function collect(fileName: string) {
    const file = bundle[fileName]
    if (file?.type !== 'chunk' || needed.has(fileName)) return
    needed.add(fileName)
    file.imports.forEach(collect)
  }
  for (const file of Object.values(bundle))
    if (file.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(`/${module}`))) collect(file.fileName)
  return [...needed]
}
