import { msg } from '#pwa/i18n/t.ts'

/** The messages for a widget without a token (error catalogue of the specification). */
export const captchaFailures = {
  notLoaded: msg('Failed to load CAPTCHA. Please check your connection and try again.'),
  notStarted: msg('Failed to initialize CAPTCHA. Please try again.'),
  notSolved: msg('CAPTCHA verification failed. Please try again.'),
} as const

export type CaptchaFailure = keyof typeof captchaFailures
