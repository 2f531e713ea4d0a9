// The build without inline styles and workers, because our Content-Security-Policy allows only files of this site.
import 'altcha/external'
import 'altcha/altcha.css'
import Pbkdf2Worker from 'altcha/workers/pbkdf2?worker'
import { useEffect, useEffectEvent, useRef } from 'react'
import { captchaChallenge } from '#shared/contract/captcha.ts'
import type { CaptchaFailure } from './captchaFailures.ts'
import type { CaptchaWidgetProps } from './CaptchaWidget.ts'
import './altchaWidget.css'

globalThis.$altcha.algorithms.set('PBKDF2/SHA-256', () => new Pbkdf2Worker())

/** The self-hosted captcha: a checkbox that starts about a second of computation. */
export function AltchaWidget({ onReady, onToken, onFailed }: CaptchaWidgetProps) {
  const place = useRef<HTMLDivElement>(null)
  const handleReady = useEffectEvent(onReady)
  const handleToken = useEffectEvent(onToken)
  const handleFailure = useEffectEvent(onFailed)

  useEffect(() => {
    let failure: CaptchaFailure = 'notSolved'
    const widget = document.createElement('altcha-widget')
    widget.setAttribute('challenge', captchaChallenge.path)
    widget.addEventListener('statechange', (event) => {
      const { state, payload } = (event as CustomEvent<{ state: string; payload?: string }>).detail
      if (state === 'verified' && payload) handleToken(payload)
      if (state === 'error') handleFailure(failure)
    })
    async function begin() {
      await widget.configure({
        hideFooter: true,
        hideLogo: true,
        fetch: async (input, init) => {
          // A failure before the challenge has arrived is a loading failure, not a failed solution.
          failure = 'notLoaded'
          const response = await fetch(input, init)
          failure = response.ok ? 'notSolved' : 'notStarted'
          return response
        },
      })
      handleReady()
    }
    // Its methods exist only after its load event.
    widget.addEventListener('load', () => void begin().catch(() => handleFailure('notStarted')))
    place.current?.append(widget)
    return () => widget.remove()
  }, [])

  return <div ref={place} />
}
