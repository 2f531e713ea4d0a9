import type { ComponentType } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import type { CaptchaFailure } from './captchaFailures.ts'

export interface CaptchaWidgetProps {
  captcha: PublicConfig['captcha']
  /** The widget is ready. */
  onReady: () => void
  /** The token for the server to verify. */
  onToken: (token: string) => void
  onFailed: (failure: CaptchaFailure) => void
}

export type CaptchaWidget = ComponentType<CaptchaWidgetProps>
