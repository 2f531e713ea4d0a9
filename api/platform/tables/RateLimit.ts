import { defineEntity, p } from '@mikro-orm/postgresql'

/** The table of rate-limiter-flexible, shared by all processes. */
export const RateLimitSchema = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limits',
  properties: {
    key: p.string().length(255).primary(),
    points: p.integer().default(0),
    /** Unix time in milliseconds; null means never. */
    expire: p.bigint('number').nullable(),
  },
})

export class RateLimit extends RateLimitSchema.class {}
RateLimitSchema.setClass(RateLimit)
