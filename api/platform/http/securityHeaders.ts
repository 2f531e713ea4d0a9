import { createHash } from 'node:crypto'
import helmet from 'helmet'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Config } from '../config.ts'

/**
 * The security headers of every response, computed once from the configuration.
 *
 * Scripts load from this site only. Wallets connect to their chains themselves; the page connects to a chain only
 *
 * - for the demo wallet, which is part of the page and calls the embedded chains,
 * - for WalletConnect, which reads balances at the node that wallets are offered,
 * - to compare the public register with the reward chain, at the first node that wallets are offered.
 *
 * Inline styles are only needed by WalletConnect's modal.
 */
export function securityHeaders(config: Config, { dev = false } = {}): Record<string, string> {
  const rpcOrigins = [...config.BSC_RPC_URLS, ...config.XCR_RPC_URLS].map((url) => new URL(url).origin)
  const registerNode = config.register ? [new URL((config.XCR_WALLET_RPC_URLS ?? config.XCR_RPC_URLS)[0]!).origin] : []
  const walletConnect = config.WALLETCONNECT_PROJECT_ID
    ? [
        'https://*.walletconnect.com',
        'wss://*.walletconnect.com',
        'https://*.walletconnect.org',
        'wss://*.walletconnect.org',
        'https://api.web3modal.org',
        new URL(config.BSC_WALLET_RPC_URL).origin,
      ]
    : []
  const turnstile = config.CAPTCHA_PROVIDER === 'turnstile' ? ['https://challenges.cloudflare.com'] : []
  const frames = [...turnstile, ...(walletConnect.length > 0 ? ['https://verify.walletconnect.org'] : [])]
  return collect(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          'default-src': ["'self'"],
          'script-src': ["'self'", ...turnstile, ...(dev ? ["'unsafe-inline'"] : [])],
          'style-src': ["'self'", ...(dev || walletConnect.length > 0 ? ["'unsafe-inline'"] : [])],
          'img-src': ["'self'", 'data:', 'blob:'],
          'font-src': ["'self'"],
          'connect-src': ["'self'", ...(config.demo || dev ? [...rpcOrigins, 'ws:'] : registerNode), ...walletConnect],
          'frame-src': frames.length > 0 ? frames : ["'none'"],
          'worker-src': ["'self'", 'blob:'],
          'object-src': ["'none'"],
          'base-uri': ["'none'"],
          'form-action': ["'self'"],
          'frame-ancestors': ["'none'"],
        },
      },
      referrerPolicy: { policy: 'same-origin' },
      strictTransportSecurity: config.production ? { maxAge: 31_536_000, includeSubDomains: true } : false,
      crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
      crossOriginResourcePolicy: { policy: 'same-origin' },
      xFrameOptions: { action: 'deny' },
    }),
  )
}

function collect(middleware: ReturnType<typeof helmet>): Record<string, string> {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  middleware(request, response, (error) => {
    if (error) throw error
  })
  const headers = Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)])
  return {
    ...(Object.fromEntries(headers) as Record<string, string>),
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  }
}

/**
 * The headers for a page with these inline parts. Where `'unsafe-inline'` is allowed no hash is added, because a hash would
 * disable it.
 */
export function allowInline(headers: Record<string, string>, parts: { style: string; script?: string }): Record<string, string> {
  const name = 'content-security-policy'
  let policy = headers[name] ?? ''
  for (const [kind, text] of Object.entries(parts)) {
    const hash = createHash('sha256').update(text).digest('base64')
    if (!new RegExp(`${kind}-src[^;]*'unsafe-inline'`).test(policy))
      policy = policy.replace(`${kind}-src 'self'`, `${kind}-src 'self' 'sha256-${hash}'`)
  }
  return { ...headers, [name]: policy }
}
