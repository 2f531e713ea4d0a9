import { DAY, SECOND } from '#shared/dates.ts'
import type { PushConfig } from '../config.ts'
import { type Dialling, guardedPost } from './guardedPost.ts'

/** A browser's subscription at its push service. */
export interface PushTarget {
  endpoint: string
  /** The browser's public key and secret, base64url. */
  keys: { p256dh: string; auth: string }
}

export interface Push {
  payload: string
  /** A later message with the same topic replaces one that was not delivered: at most 32 characters of base64url. */
  topic: string
  urgency: 'normal' | 'high'
  /** Milliseconds for which the push service keeps the message. */
  life: number
}

export interface PushAnswer {
  status: number
  /** Milliseconds for which the push service asks to wait. */
  retryAfter: number | undefined
}

/** Sends messages to the push services of browsers. */
export interface PushTransport {
  send(target: PushTarget, push: Push): Promise<PushAnswer>
}

/** @param dialling is replaced in tests only. */
export function createPushTransport({ publicKey, privateKey, subject, hosts }: PushConfig, dialling?: Dialling): PushTransport {
  return {
    async send(target, { payload, topic, urgency, life }) {
      // Loaded lazily, because only workers send messages.
      const { default: webPush } = await import('web-push')
      const { headers, body } = webPush.generateRequestDetails(target, payload, {
        vapidDetails: { subject, publicKey, privateKey },
        contentEncoding: 'aes128gcm',
        TTL: Math.max(0, Math.floor(life / SECOND)),
        topic,
        urgency,
      })
      const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      const answer = await guardedPost({ url: target.endpoint, headers: sent, body }, { hosts, ...(dialling && { dialling }) })
      return { status: answer.status, retryAfter: readRetryAfter(answer.headers['retry-after'], Date.now()) }
    },
  }
}

/** Seconds or a date, in milliseconds from now. A day at most. */
function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const wait = /^\d+$/.test(value) ? Number(value) * SECOND : Date.parse(value) - now
  return Number.isNaN(wait) ? undefined : Math.min(DAY, Math.max(0, wait))
}
