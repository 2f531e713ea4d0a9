import type { Plugin } from 'vite'
import type { ManifestOptions } from 'vite-plugin-pwa'

/** What the page is drawn on (pwa/ui/tokens.css): the splash of the installed app is of the same color. */
const grounds = { dark: '#0b0d12', light: '#fafbfc' } as const

/** A manifest knows one color, so there is one for each theme; the page names that of its own (pwa/ui/theme.ts). */
export const manifestOf = (theme: keyof typeof grounds): Partial<ManifestOptions> => ({
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
      label: 'Your nodes, and which of all nodes they are',
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

/** Adds the manifest of the light theme. */
export function lightManifest(): Plugin {
  return {
    name: 'light-manifest',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'manifest-light.webmanifest', source: JSON.stringify(manifestOf('light')) })
    },
  }
}
