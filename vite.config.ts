import path from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { compression } from 'vite-plugin-compression2'
import { VitePWA } from 'vite-plugin-pwa'
import { defineConfig } from 'vitest/config'
import { lightManifest, manifestOf } from './pwa/server/manifest.ts'
import { serverRendering } from './pwa/server/serverRendering.ts'

/** The wallet modal and what it drags along: a megabyte that only a tap on "More wallets" may load, or a later visit with such a wallet. */
const walletModalModules = /node_modules\/(@web3modal|@walletconnect|@lit|lit)\//
/** The back office: only whoever opens it loads it, so the service worker does not fetch it beforehand either. */
const adminModules = /\/pwa\/(admin|i18n\/ko\/(office|admin))/

/** What every page has before it is used. */
const startModules = ['pwa/app/main.tsx', 'pwa/features/dashboard/DashboardPage.tsx', 'pwa/lib/api.ts']
const kitModules = /@radix-ui\/react-(dialog|tabs|radio-group)/
/** What every page loads once it is drawn. */
const hostModules = [
  'pwa/app/BackgroundTasks.tsx',
  'pwa/app/ErrorPage.tsx',
  'pwa/app/InstallHost.tsx',
  'pwa/app/installation.ts',
  'pwa/app/Notices.tsx',
  'pwa/app/serviceWorkerUpdates.ts',
  'pwa/app/SidePanel.tsx',
  'pwa/app/tolerateTranslation.ts',
  'pwa/features/purchase/PaymentHost.tsx',
]

export default defineConfig({
  root: 'pwa',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // A data URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    // What is loaded on demand consists of few files; a list of them all would be part of the first visit.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, files, { hostType }) => (hostType === 'js' ? [] : files),
    },
    rolldownOptions: {
      output: {
        // What every page needs comes in one file, and what else the first page needs in another: each file costs a phone its latency.
        codeSplitting: {
          groups: [
            { name: chunkOfAllBehind('frame', ['pwa/app/main.tsx']), priority: 4 },
            { name: chunkOfAllBehind('start', ['pwa/features/dashboard/DashboardPage.tsx']), priority: 3 },
            // The contract with its schemas comes with the first call.
            { name: chunkOfAllBehind('contract', ['pwa/lib/api.ts']), priority: 2 },
            // With what they share: what only menus and tooltips need stays out of a visitor's way.
            { name: 'kit', test: kitModules, priority: 2 },
            // Otherwise a page loads fifty files of less than a kilobyte, and a slow phone answers its first tap a second later.
            { name: chunkOfLight('hosts', hostModules), priority: 1 },
            { name: chunkOfLight('common'), minShareCount: 3, maxModuleSize: 3_000 },
          ],
        },
        chunkFileNames: ({ moduleIds }) => {
          if (moduleIds.some((id) => walletModalModules.test(id))) return 'assets/w3m/[name]-[hash].js'
          return moduleIds.some((id) => adminModules.test(id)) ? 'assets/admin/[name]-[hash].js' : 'assets/[name]-[hash].js'
        },
      },
    },
  },
  plugins: [
    react(),
    tailwindcss(),
    preloadFont(),
    serverRendering(),
    lightManifest(),
    // Beside each file, for browsers that take it smaller: packed once here rather than at each request.
    compression({ algorithms: ['gzip', 'brotliCompress'], include: /\.(js|css|html|svg|webmanifest)$/, threshold: 1_000 }),
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'app',
      filename: 'sw.ts',
      registerType: 'prompt',
      // app/serviceWorkerUpdates.ts registers it.
      injectRegister: false,
      injectManifest: {
        globPatterns: ['**/*.{js,css,html,woff2,svg,png}'],
        globIgnores: ['assets/w3m/**', 'assets/admin/**', 'screenshots/**'],
      },
      manifest: manifestOf('dark'),
    }),
  ],
  test: {
    coverage: {
      include: ['api/**/*.ts', 'pwa/**/*.{ts,tsx}', 'shared/**/*.ts'],
      exclude: ['**/{e2e,bench,stress,testing,migrations,generated,dist}/**', '**/*.test.*'],
      reporter: ['text-summary', 'html'],
      reportsDirectory: path.join(import.meta.dirname, '.cache/coverage'),
    },
    projects: [
      {
        extends: false,
        root: import.meta.dirname,
        test: {
          name: 'api',
          environment: 'node',
          include: ['api/**/*.test.ts', 'shared/**/*.test.ts'],
          globalSetup: './api/testing/globalSetup.ts',
          setupFiles: './api/testing/failOnErrors.ts',
          // Files share a process: loading the modules anew took an eighth of the time. Each file has a database of its own.
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        extends: false,
        root: import.meta.dirname,
        plugins: [react()],
        // Its stores begin anew with each test.
        resolve: { alias: [{ find: /^zustand$/, replacement: path.join(import.meta.dirname, 'pwa/testing/zustand.ts') }] },
        test: {
          name: 'pwa',
          environment: 'jsdom',
          pool: 'threads',
          // jsdom and the libraries load once per worker instead of once per file; setup.ts gives each file modules of its own.
          isolate: false,
          include: ['pwa/**/*.test.ts', 'pwa/**/*.test.tsx'],
          globalSetup: './pwa/testing/globalSetup.ts',
          setupFiles: './pwa/testing/setup.ts',
          testTimeout: 90_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        extends: false,
        root: import.meta.dirname,
        test: {
          name: 'e2e',
          environment: 'node',
          // Files share a process and its browser. Each has a product of its own.
          isolate: false,
          include: ['pwa/e2e/**/*.e2e.ts'],
          globalSetup: './pwa/e2e/globalSetup.ts',
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
})

/** Names the font in the page's head, so that it is on its way before the style sheet asks for it. */
function preloadFont(): Plugin {
  return {
    name: 'preload-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => file.endsWith('.woff2'))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
            injectTo: 'head',
          })),
    },
  }
}

/** What the index of the query library names and the frame does not use. */
const namedOnly =
  /(queriesObserver|useQueries|useSuspenseQueries|mutationObserver|useMutation|useInfiniteQuery|infiniteQueryObserver)\.m?js$/

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

/** Whether a module is behind others: whatever they import, not counting what they load on demand. */
function createClosure(files: readonly string[]) {
  const ids = new Set<string>()
  function collect(id: string, graph: ModuleGraph) {
    if (ids.has(id) || namedOnly.test(id)) return
    ids.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) collect(imported, graph)
  }
  return (id: string, graph: ModuleGraph) => {
    for (const file of files) collect(path.join(import.meta.dirname, file), graph)
    return ids.has(id)
  }
}

/** Names the chunk of all modules behind these. */
function chunkOfAllBehind(chunk: string, files: readonly string[]) {
  const isBehind = createClosure(files)
  return (id: string, graph: ModuleGraph) => (isBehind(id, graph) ? chunk : null)
}

/** Names the chunk of our own modules, if given only of those behind some, that need no library but those of every page. */
function chunkOfLight(chunk: string, files?: readonly string[]) {
  const isBehind = files ? createClosure(files) : () => true
  const isAtStart = createClosure(startModules)
  const known = new Map<string, boolean>()
  const isOwn = (id: string) =>
    namedOnly.test(id) ||
    (/\/(pwa|shared)\/.*\.tsx?$/.test(id) && !/node_modules|\/i18n\/ko\//.test(id) && !adminModules.test(id))
  function isLight(id: string, graph: ModuleGraph): boolean {
    if (isAtStart(id, graph) || kitModules.test(id)) return true
    if (!known.has(id)) {
      // Modules that import each other are light if all of them are.
      known.set(id, true)
      const imports = graph.getModuleInfo(id)?.importedIds ?? []
      known.set(id, isOwn(id) && imports.every((imported) => isLight(imported, graph)))
    }
    return known.get(id)!
  }
  return (id: string, graph: ModuleGraph) => (isOwn(id) && isBehind(id, graph) && isLight(id, graph) ? chunk : null)
}
