import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PurgeCSS } from 'purgecss'
import react from '@vitejs/plugin-react'
import { build, minifySync, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'

/** What the server fills in: `title`, the empty root, and the figures behind it. */
export interface VisitorTemplate {
  html: string
  /** What stands in it, for the Content-Security-Policy. */
  inline: { style: string; script: string }
}

interface VisitorPageModules {
  page: string
  /** Parts that come in chunks of their own later, and are drawn on the server already. */
  drawn?: string[]
}

/** The pages that visitors come to first. */
const pages: Record<string, VisitorPageModules> = {
  '/': {
    page: 'features/dashboard/DashboardPage.tsx',
    drawn: ['features/dashboard/SaleField.tsx', 'features/dashboard/FieldFilm.tsx', 'features/dashboard/Faq.tsx'],
  },
  '/purchase': { page: 'features/purchase/PurchasePage.tsx' },
  '/auth': { page: 'features/auth/AuthPage.tsx' },
}

/** Builds, beside the page, what draws it on the server. The folder's name keeps it from being served. */
export function serverRendering(): Plugin {
  let config: ResolvedConfig
  let templates: Record<string, VisitorTemplate> | undefined
  return {
    name: 'server-rendering',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    writeBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const headScripts = [path.join(import.meta.dirname, 'startAfterPaint.js'), path.join(config.publicDir, 'theme.js')]
        templates = await makeTemplates(bundle, minify(headScripts))
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
 * The page that was built, for each place of a visitor: what it is drawn with stands in it, which saves a round trip before anything is
 * seen, and what comes later is only named. startAfterPaint.js fetches that, and main.tsx the whole style sheet.
 */
async function makeTemplates(bundle: Rolldown.OutputBundle, script: string): Promise<Record<string, VisitorTemplate>> {
  const built = bundle['index.html']
  if (built?.type !== 'asset') return {}
  const html = String(built.source)
  const sheet = take(html, /<link rel="stylesheet"[^>]*href="\/([^"]+)"[^>]*>/)
  const font = take(html, /<link rel="preload" as="font"[^>]*href="([^"]+)"[^>]*>/)
  const modules = [...html.matchAll(/<script type="module"[^>]*src="([^"]+)"><\/script>/g)]
  const wholeStyle = bundle[sheet.file]
  if (wholeStyle?.type !== 'asset') throw new Error(`${sheet.file} was not built.`)
  const late = { scripts: modules.map(([, file]) => file!), font: [font.file], style: [`/${sheet.file}`] }

  const made = Object.entries(pages).map(async ([at, { page, drawn = [] }]) => {
    const scripts = scriptsOf(bundle, page)
    const style = await pickStyle(String(wholeStyle.source), [
      html,
      ...codeOf(bundle, [...scripts, ...drawn.flatMap((module) => scriptsOf(bundle, module))]),
    ])
    const named = { ...late, modules: scripts.map((file) => `/${file}`).filter((file) => !late.scripts.includes(file)) }
    const metas = Object.entries(named).map(([kind, files]) => `<meta name="late-${kind}" content="${files.join(' ')}">`)
    const text = modules
      .reduce((rest, [tag]) => rest.replace(tag, ''), html)
      .replace(font.tag, '')
      // Texts in place of texts: what is put in may itself hold what `replace` would read as a pattern.
      .replace(sheet.tag, () => `<style>${style}</style>`)
      .replace('<script src="/theme.js"></script>', () => `${metas.join('')}<script>${script}</script>`)
    return [at, { html: text, inline: { style, script } }] as const
  })
  return Object.fromEntries(await Promise.all(made))
}

function take(html: string, pattern: RegExp): { tag: string; file: string } {
  const [tag, file] = pattern.exec(html) ?? []
  if (!tag || !file) throw new Error(`The page that was built has no ${pattern}.`)
  return { tag, file }
}

/** Of a style sheet what scripts can draw with it: a class that none of them names is on no element. */
async function pickStyle(css: string, contents: string[]): Promise<string> {
  const [picked] = await new PurgeCSS().purge({
    css: [{ raw: css }],
    content: contents.map((raw) => ({ raw, extension: 'js' })),
    // Attributes of ours are set in other words (`dataset.theme`), and these concern whatever there is.
    safelist: { greedy: [/^(data-.*|hidden|:not|:focus-visible|:lang)$/] },
    // Names of classes hold nearly every character.
    defaultExtractor: (text) => [...text.split(/[\s"`]+/), ...(text.match(/[^<>"'`\s=]+/g) ?? [])],
  })
  return picked!.css.trim()
}

const codeOf = (bundle: Rolldown.OutputBundle, files: string[]): string[] =>
  [...new Set(files)].map((name) => bundle[name]).flatMap((file) => (file?.type === 'chunk' ? [file.code] : []))

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
