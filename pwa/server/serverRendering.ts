import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { build, minifySync, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'

/** What the server needs to send a page that is drawn already. */
export interface PageParts {
  /** Takes the place of the style sheet's link: one round trip less before anything is seen. */
  css: string
  /** The tag it takes the place of. */
  cssLink: string
  /** The same for what runs before the first paint, which here also begins what runs after it. */
  headScript: string
  headScriptLink: string
  /** By path: the scripts that the page itself is made of. */
  scripts: Record<string, string[]>
}

/** The pages that visitors come to first. */
const pages: Record<string, string> = {
  '/': 'features/dashboard/DashboardPage.tsx',
  '/purchase': 'features/purchase/PurchasePage.tsx',
  '/auth': 'features/auth/AuthPage.tsx',
}

/** Builds, beside the page, what draws it on the server. The folder's name keeps it from being served. */
export function serverRendering(): Plugin {
  let config: ResolvedConfig
  let parts: PageParts | undefined
  return {
    name: 'server-rendering',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    writeBundle: {
      order: 'post',
      handler(_options, bundle) {
        parts = findParts(bundle, [path.join(config.publicDir, 'theme.js'), path.join(import.meta.dirname, 'startAfterPaint.js')])
      },
    },
    async closeBundle() {
      if (!parts) return
      const outDir = path.resolve(config.root, config.build.outDir, '.server')
      mkdirSync(outDir, { recursive: true })
      writeFileSync(path.join(outDir, 'parts.json'), JSON.stringify(parts))
      parts = undefined
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

function findParts(bundle: Rolldown.OutputBundle, headScripts: string[]): PageParts | undefined {
  const files = Object.values(bundle)
  const html = files.find((file) => file.type === 'asset' && file.fileName === 'index.html')
  if (html?.type !== 'asset') return undefined
  const [cssLink = '', cssFile = ''] = /<link rel="stylesheet"[^>]*href="\/([^"]+)"[^>]*>/.exec(String(html.source)) ?? []
  const sheet = bundle[cssFile]
  const css = sheet?.type === 'asset' ? String(sheet.source).trim() : ''
  return {
    css,
    cssLink,
    headScript: headScripts.map((file) => minifySync(file, readFileSync(file, 'utf8')).code).join('\n'),
    headScriptLink: '<script src="/theme.js"></script>',
    scripts: Object.fromEntries(
      Object.entries(pages).map(([at, module]) => [at, scriptsOf(bundle, module).map((file) => `/${file}`)]),
    ),
  }
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
