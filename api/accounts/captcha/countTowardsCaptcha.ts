import type { EntityManager } from '@mikro-orm/postgresql'
import type { RateLimiter, RateLimitName } from '#api/platform/http/limitRate.ts'
import { type CaptchaDemand, requireCaptcha } from './requireCaptcha.ts'

type Counter = readonly [name: Extract<RateLimitName, `captcha_${string}`>, key: string]

/**
 * Counts a call, and lets it through only with a captcha once there were too many of its kind. Counted before anything is known of
 * it, so that calls sent at the same moment cannot all slip past the count; one that is refused here was none.
 *
 * @throws 403 `captcha_required`.
 */
export async function countTowardsCaptcha(
  em: EntityManager,
  limits: RateLimiter,
  { counters, ...demand }: CaptchaDemand & { counters: readonly Counter[] },
): Promise<void> {
  const beyond = await Promise.all(counters.map(([name, key]) => limits.countBeyond(name, key)))
  if (!beyond.includes(true)) return
  try {
    await requireCaptcha(em, demand)
  } catch (error) {
    for (const [name, key] of counters) await limits.forgive(name, key)
    throw error
  }
}
