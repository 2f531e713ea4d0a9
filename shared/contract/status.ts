import { z } from 'zod'
import { instant } from '../wire/instant.ts'
import { openEnum } from '../wire/openEnum.ts'
import { endpoint } from './endpoint.ts'
import { rowId } from './rowId.ts'

/**
 * The product's state in one word: of the first that applies, `outdated` (the figures could not be read for a minute, so the state is
 * unknown), `several_delayed`, one delay, `incident` (an operator has reported one that is not resolved), `ok`.
 */
export const verdicts = [
  'ok',
  'incident',
  'payments_delayed',
  'rewards_delayed',
  'payouts_delayed',
  'register_delayed',
  'several_delayed',
  'outdated',
] as const
export type Verdict = (typeof verdicts)[number]

const partState = openEnum(['ok', 'delayed'])

/** Texts of an operator. Korean readers see the English one if there is no Korean one. */
const words = z.object({ en: z.string(), ko: z.string().nullable() })

export const incident = z.object({
  id: rowId,
  title: words,
  text: words,
  startedAt: instant,
  /** When the texts were last changed. */
  updatedAt: instant,
  /** Null while it lasts. */
  resolvedAt: instant.nullable(),
})
export type Incident = z.output<typeof incident>

/** Days that a resolved incident stays on the page. */
export const INCIDENT_DAYS = 90

export const serviceStatus = z.object({
  verdict: openEnum(verdicts),
  /** When the figures were read. They stay while they cannot be read again. */
  readAt: instant,
  payments: z.object({
    state: partState,
    /** Payments are read up to this block, of this time; null before the first one. */
    block: z.int().nullable(),
    blockTime: instant.nullable(),
    /** Blocks that exist and are not read yet. */
    blocksBehind: z.int(),
  }),
  rewards: z.object({
    state: partState,
    /** The last day whose rewards are paid; null before the first one. */
    lastDay: z.iso.date().nullable(),
  }),
  payouts: z.object({
    state: partState,
    /** Withdrawals that wait for their payment, besides those that a person reviews. */
    waiting: z.int(),
    /** The oldest of them, in product time. */
    oldest: instant.nullable(),
  }),
  /** Null if no register is published. */
  register: z
    .object({
      state: partState,
      /** The last published day; null before the first one. */
      lastDay: z.iso.date().nullable(),
      /** The time of the newest final anchor; null without one. */
      anchoredAt: instant.nullable(),
    })
    .nullable(),
  /** Open incidents, and those resolved within the last 90 days, newest first. */
  incidents: z.array(incident),
})
export type ServiceStatus = z.output<typeof serviceStatus>

/** What runs on time and what does not, for everybody. It names no host, address or account. */
export const getStatus = endpoint({
  method: 'GET',
  path: '/api/status',
  access: 'public',
  limit: 'none',
  response: serviceStatus,
})
