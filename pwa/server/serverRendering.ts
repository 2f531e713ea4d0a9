import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { build, minifySync, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'

/** What the server fills in: `title`, the empty root, and the figures behind it. */
export interface VisitorTemplate {
  html: string
  /** What fetches the Korean words, for the end of the head. */
  korean: string
  /** What stands in it, for the Content-Security-Policy. */
  inline: { style: string; script: string }
}

/** The page of a place as a visitor gets it, and as somebody who may be logged in does: that one is drawn by the browser. */
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

/** What a person who is logged in sees first, beside the page of the place, and what asks for it. */
const memberModules = ['lib/api.ts', 'shared/contract/identity.ts', 'shared/contract/nodes.ts', 'shared/contract/purchases.ts']
const memberViews: Record<string, string[]> = { '/': ['features/dashboard/HolderView.tsx'] }
/** Their own figures there, which are asked for before any script is: pwa/lib/earlyAnswers.ts takes the answers. */
const memberCalls: Record<string, string[]> = { '/': ['/api/user/nodes', '/api/node-purchases'] }

/** Builds, beside the page, what draws it on the server. The folder's name keeps it from being served. */
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
          ssr: path.join(import.meta.dirname, 'drawPage.tsx'),
          outDir,
          emptyOutDir: false,
          copyPublicDir: false,
          minify: false,
          assetsInlineLimit: 0,
          // Nothing of these is drawn on a server.
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
 * The page that was built, for each place of a visitor. The style stands in it, which saves a round trip before anything is seen. All
 * scripts of the place are fetched at once, without getting in the way of what is seen first.
 */
function makeTemplates(bundle: Rolldown.OutputBundle, script: string): Record<string, PlaceTemplates> {
  const built = bundle['index.html']
  if (built?.type !== 'asset') return {}
  const html = String(built.source)
  const sheet = take(html, /<link rel="stylesheet"[^>]*href="\/([^"]+)"[^>]*>/)
  const file = bundle[sheet.file]
  if (file?.type !== 'asset') throw new Error(`${sheet.file} was not built.`)
  const style = String(file.source).trim()
  // The chunks look for a link to the style sheet and would fetch it without one: that which is disabled is found and not fetched. Made
  // by a script, because the browser looks ahead for links in the text and fetches disabled ones too.
  const link = `{const l=document.createElement('link');l.rel='stylesheet';l.disabled=true;l.href='/${sheet.file}';document.head.append(l)}`

  const makeTemplate = (modules: string[], inlineScript: string): VisitorTemplate => {
    const isNew = (name: string) => !html.includes(`src="/${name}"`)
    const scripts = [...new Set(modules.flatMap((module) => scriptsOf(bundle, module)))].filter(isNew)
    const korean = scriptsOf(bundle, 'i18n/ko/site.ts').filter((name) => isNew(name) && !scripts.includes(name))
    const text = html
      .replaceAll('<script type="module"', '<script type="module" fetchpriority="low"')
      // Texts in place of texts: what is put in may itself hold what `replace` would read as a pattern.
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
          `${askEarly(memberCalls[at] ?? [])}${script}${link}`,
        ),
      },
    ]),
  )
}

const askEarly = (paths: string[]): string => {
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

/** The file that holds a module, and all those that it imports. */
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
