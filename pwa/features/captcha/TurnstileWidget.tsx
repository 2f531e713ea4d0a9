import { useEffect, useEffectEvent, useRef } from 'react'
import { useLanguage } from '#pwa/i18n/language.ts'
import { loadScript } from './loadScript.ts'
import type { CaptchaWidgetProps } from './CaptchaWidget.ts'

interface Turnstile {
  render: (place: HTMLElement, options: Record<string, unknown>) => string | undefined
  remove: (widgetId: string) => void
}

declare global {
  interface Window {
    turnstile?: Turnstile
  }
}

/** A third-party captcha, for installations configured with one. */
export function TurnstileWidget({ captcha: { scriptUrl, siteKey }, onReady, onToken, onFailed }: CaptchaWidgetProps) {
  const place = useRef<HTMLDivElement>(null)
  const handleReady = useEffectEvent(onReady)
  const handleToken = useEffectEvent(onToken)
  const handleFailure = useEffectEvent(onFailed)

  useEffect(() => {
    let isGone = false
    let widgetId: string | undefined

    async function start() {
      if (!scriptUrl || !siteKey) return handleFailure('notStarted')
      try {
        await loadScript(scriptUrl)
      } catch {
        if (!isGone) handleFailure('notLoaded')
        return
      }
      if (isGone) return
      try {
        widgetId = window.turnstile!.render(place.current!, {
          sitekey: siteKey,
          theme: document.documentElement.dataset.theme,
          language: useLanguage.getState().language,
          callback: (token: string) => handleToken(token),
          'error-callback': () => {
            handleFailure('notSolved')
            // Marks the error as handled; otherwise it logs a warning.
            return true
          },
        })
        handleReady()
      } catch {
        handleFailure('notStarted')
      }
    }

    void start()
    return () => {
      isGone = true
      if (widgetId !== undefined) window.turnstile?.remove(widgetId)
    }
  }, [scriptUrl, siteKey])

  return <div ref={place} className="min-h-16" />
}
