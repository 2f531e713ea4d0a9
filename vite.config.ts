import path from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { compression } from 'vite-plugin-compression2'
import { type ManifestOptions, VitePWA } from 'vite-plugin-pwa'
import { defineConfig } from 'vitest/config'
import { serverRendering } from './pwa/server/serverRendering.ts'

/** The wallet modal of the card and what it drags along: a megabyte that only a tap on "More wallets" may load. */
const walletModalModules = /node_modules\/(@web3modal|@walletconnect|@lit|lit)\//
/** The back office: only whoever opens it loads it, so the service worker does not fetch it beforehand either. */
const adminModules = /\/pwa\/(admin|i18n\/ko\/(office|admin))/

/** What the page is drawn on (pwa/ui/tokens.css): the splash of the installed app is of the same colour. */
const grounds = { dark: '#0b0d12', light: '#fafbfc' } as const

/** A manifest knows one colour, so there is one for each theme; the page names that of its own (pwa/ui/theme.ts). */
const manifestOf = (theme: keyof typeof grounds): Partial<ManifestOptions> => ({
  id: '/',
  name: 'XCR Nodes',
  short_name: 'XCR Nodes',
  description: 'Buy limited-edition nodes with USDT, earn XCR every day, withdraw it to your wallet.',
  lang: 'en',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  theme_color: grounds[theme],
  background_color: grounds[theme],
  display_override: ['standalone', 'minimal-ui'],
  orientation: 'any',
  categories: ['finance'],
  launch_handler: { client_mode: 'focus-existing' },
  screenshots: [
    {
      src: '/screenshots/install-phone.webp',
      sizes: '780x1688',
      type: 'image/webp',
      form_factor: 'narrow',
      label: 'What you own, what it earns a day, and when it is paid next',
    },
    {
      src: '/screenshots/install-desk.webp',
      sizes: '1440x900',
      type: 'image/webp',
      form_factor: 'wide',
      label: 'Your nodes, and which of the 20,000 they are',
    },
  ],
  icons: [
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: '/icon-maskable-192.png', sizes: '192x192', type: 'image/png', purpose: 'maskable' },
    { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
  shortcuts: [
    { name: 'Buy nodes', url: '/purchase', icons: [{ src: '/shortcut-buy.png', sizes: '192x192', type: 'image/png' }] },
    { name: 'History', url: '/history', icons: [{ src: '/shortcut-history.png', sizes: '192x192', type: 'image/png' }] },
  ],
})

function lightManifest(): Plugin {
  return {
    name: 'light-manifest',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'manifest-light.webmanifest', source: JSON.stringify(manifestOf('light')) })
    },
  }
}

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
            { name: chunkOfAllBehind('frame', 'pwa/app/main.tsx'), priority: 2 },
            { name: chunkOfAllBehind('start', 'pwa/features/dashboard/DashboardPage.tsx'), priority: 1 },
            // The contract with its schemas comes with the first call.
            { name: chunkOfAllBehind('contract', 'pwa/lib/api.ts') },
            // With what they share: what only menus and tooltips need stays out of a visitor's way.
            { name: 'kit', test: /@radix-ui\/react-(dialog|tabs|radio-group)/ },
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
          include: ['pwa/e2e/**/*.e2e.ts'],
          globalSetup: './pwa/e2e/globalSetup.ts',
          testTimeout: 180_000,
          hookTimeout: 120_000,
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

/** Names the chunk of whatever a module imports, not counting what it loads on demand. */
function chunkOfAllBehind(chunk: string, root: string) {
  const ids = new Set<string>()
  function collect(id: string, graph: ModuleGraph) {
    if (ids.has(id) || namedOnly.test(id)) return
    ids.add(id)
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) collect(imported, graph)
  }
  return (id: string, graph: ModuleGraph) => {
    collect(path.join(import.meta.dirname, root), graph)
    return ids.has(id) ? chunk : null
  }
}
