import type {} from 'altcha/external'

/** Replaces `altcha/external` where there are no workers: `vi.mock('altcha/external', () => import('#pwa/testing/fakeAltcha.ts'))`. */
class FakeAltchaWidget extends HTMLElement {
  fetch: typeof fetch = fetch

  connectedCallback() {
    queueMicrotask(() => this.dispatchEvent(new Event('load')))
  }

  async configure(configuration: { fetch: typeof fetch }) {
    this.fetch = configuration.fetch
  }

  /** Simulates ticking the widget's box: fetches the challenge, and emits a token if that succeeds. */
  async tick(payload = 'solved') {
    try {
      const response = await this.fetch(new URL(this.getAttribute('challenge')!, location.href))
      if (!response.ok) return this.tell('error')
    } catch {
      return this.tell('error')
    }
    this.tell('verified', payload)
  }

  tell(state: string, payload?: string) {
    this.dispatchEvent(new CustomEvent('statechange', { detail: { state, payload } }))
  }
}

// Files share a window (vite.config.ts).
if (!customElements.get('altcha-widget')) customElements.define('altcha-widget', FakeAltchaWidget)
globalThis.$altcha = { algorithms: new Map() } as typeof globalThis.$altcha

export const findAltcha = () => document.querySelector<FakeAltchaWidget & HTMLElement>('altcha-widget')
