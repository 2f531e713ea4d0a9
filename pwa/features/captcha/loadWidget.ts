import type { PublicConfig } from '#shared/contract/settings.ts'
import { useLanguage } from '#pwa/i18n/language.ts'
import type { CaptchaWidget } from './CaptchaWidget.ts'

const widgets: Partial<Record<string, () => Promise<CaptchaWidget>>> = {
  altcha: async () => {
    const { AltchaWidget } = await import('./AltchaWidget.tsx')
    // It uses the page's language if a catalogue is set.
    if (useLanguage.getState().language === 'ko') await import('altcha/i18n/ko')
    return AltchaWidget
  },
  turnstile: async () => (await import('./TurnstileWidget.tsx')).TurnstileWidget,
}

/** The widget of the configured provider, lazy-loaded. */
export async function loadWidget({ provider }: PublicConfig['captcha']): Promise<CaptchaWidget> {
  const load = widgets[provider]
  if (!load) throw new Error(`This version of the page does not know the captcha "${provider}".`)
  return load()
}
