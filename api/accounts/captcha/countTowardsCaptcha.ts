import type { EntityManager } from '@mikro-orm/postgresql'
import type { RateLimiter, RateLimitName } from '#api/platform/http/limitRate.ts'
import { type CaptchaDemand, requireCaptcha } from './requireCaptcha.ts'

type Counter = readonly [name: Extract<RateLimitName, `captcha_${string}`>, key: string]

/**
 * Counts a call and requires a captcha once a counter exceeds its limit. It counts before the outcome is known, so that
 * concurrent calls cannot all pass the limit. A call that is rejected here does not count.
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
    for (const [name, key] of counters) await limits.uncount(name, key)
    throw error
  }
}
