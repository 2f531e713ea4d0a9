import type { MikroORM } from '@mikro-orm/postgresql'
import type { ChainClient } from './chain/ChainClient.ts'
import type { PaymentChainClient } from './chain/PaymentChainClient.ts'
import type { Clock } from './clock/Clock.ts'
import type { Config } from './config.ts'
import type { EventHub } from './events/EventHub.ts'
import type { StreamSlots } from './events/StreamSlots.ts'
import type { RateLimiter } from './http/limitRate.ts'
import type { JobQueue } from './jobs/JobQueue.ts'
import type { MailTransport } from './mail/mailTransport.ts'
import type { PushTransport } from './push/pushTransport.ts'

/**
 * The services of a running role. Functions take the ones they use: `Pick<Services, …>`. Only `app/`, which creates them, and the
 * worker, which passes them to jobs, use the whole type.
 */
export interface Services {
  config: Config
  orm: MikroORM
  /** A read replica, which may lag behind. Undefined if none is configured. */
  replica?: MikroORM
  clock: Clock
  events: EventHub
  streams: StreamSlots
  jobs: JobQueue
  limits: RateLimiter
  mail: MailTransport
  /** Undefined if push messages are off. */
  push?: PushTransport
  /** Receives the arrival numbers of the requests that were decided together, in their order. */
  onDecided?: (decided: readonly number[]) => void
  paymentChain: PaymentChainClient
  rewardChain: ChainClient
}
