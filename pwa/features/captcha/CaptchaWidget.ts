import type { ComponentType } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import type { CaptchaFailure } from './captchaFailures.ts'

export interface CaptchaWidgetProps {
  captcha: PublicConfig['captcha']
  /** It stands and can be used. */
  onReady: () => void
  /** What the server is to check. */
  onToken: (token: string) => void
  onFailed: (failure: CaptchaFailure) => void
}

export type CaptchaWidget = ComponentType<CaptchaWidgetProps>
