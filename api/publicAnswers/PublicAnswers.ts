import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { getConfig, getNodeSettings, listSystemSettings, settingKeys } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { KEEP_ALIVE } from '../http/createHttpServer.ts'
import { readNodeStats } from '../nodes/readNodeStats.ts'
import type { Services } from '../services.ts'
import { describeConfig } from '../settings/describeConfig.ts'
import { nodePriceOf, readSettings } from '../settings/readSettings.ts'

interface Answer {
  /** A string, which node sends together with the headers; a buffer would go by itself. */
  body: string
  etag: string
  /** Name, value, name, value … */
  headers: string[]
  /** The same as they are sent, up to the date, for a connection that is kept. */
  head: string
}

/** The calls that everybody makes and that answer everybody alike. */
const endpoints = [getNodeStats, getNodeSettings, listSystemSettings, getConfig] as const

/**
 * Answers the public calls from memory, ahead of everything else: the numbers are read from the database at most once a second for
 * all callers, and again as soon as a change is heard of.
 */
export class PublicAnswers {
  readonly #services: Services
  readonly #baseHeaders: string[]
  readonly #answers = new Map<string, Answer>()
  readonly #date = new HttpDate()
  #refreshing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: (() => void) | undefined

  constructor(services: Services, securityHeaders: Record<string, string>) {
    this.#services = services
    this.#baseHeaders = Object.entries(securityHeaders).flat()
  }

  async start(): Promise<void> {
    await this.refresh()
    const watched = new Set<string>(endpoints.map(({ path }) => path))
    this.#unsubscribe = this.#services.events.onChange(({ all }) => {
      if (all.some((key) => watched.has(key))) void this.refresh()
    })
    this.#timer = setInterval(() => void this.refresh(), SECOND)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#unsubscribe?.()
    await this.#refreshing
  }

  /** Reads everything anew. While the database is away the last answers stand. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read()
      .catch(() => {})
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  /** Writes the answer if the request is one of these. */
  tryAnswer(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET') return false
    const answer = this.#answers.get(request.url ?? '')
    if (!answer) return false
    if (request.headers['if-none-match'] === answer.etag) response.writeHead(304, answer.headers).end()
    else if (request.httpVersion === '1.1' && response.shouldKeepAlive) {
      writePreparedHead(response, `${answer.head}Date: ${this.#date.now()}\r\n\r\n`)
      response.end(answer.body)
    } else response.writeHead(200, answer.headers).end(answer.body)
    return true
  }

  async #read(): Promise<void> {
    const { orm, config, clock } = this.#services
    const em = orm.em.fork()
    const stats = await readNodeStats(em)
    const settings = await readSettings(em)
    this.#put(getNodeStats, stats)
    this.#put(getNodeSettings, { nodePrice: nodePriceOf(settings), totalLimit: stats.total })
    this.#put(
      listSystemSettings,
      settingKeys.map((key) => ({ key, value: settings[key] })),
    )
    this.#put(getConfig, describeConfig(config, clock))
  }

  #put<E extends (typeof endpoints)[number]>(endpoint: E, value: z.output<E['response']>): void {
    const body = JSON.stringify(z.encode(endpoint.response as z.ZodType, value))
    const etag = `"${createHash('sha1').update(body).digest('base64url')}"`
    if (this.#answers.get(endpoint.path)?.etag === etag) return
    const headers = [
      ...this.#baseHeaders,
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      String(Buffer.byteLength(body)),
      'Cache-Control',
      'public, max-age=1',
      'ETag',
      etag,
    ]
    this.#answers.set(endpoint.path, { body, etag, headers, head: writeHead(headers) })
  }
}

/** What node writes for these headers to a connection that is kept. */
function writeHead(headers: readonly string[]): string {
  const all = [...headers, 'Connection', 'keep-alive', 'Keep-Alive', `timeout=${KEEP_ALIVE / SECOND}`]
  const lines = all.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${all[index + 1]}\r\n`] : []))
  return `HTTP/1.1 200 OK\r\n${lines.join('')}`
}

/**
 * Gives node the head of the answer as it is to be sent. Its own `writeHead` builds the same text, but checks each header of each answer
 * anew, which costs more than all the rest of answering.
 */
function writePreparedHead(response: ServerResponse, head: string): void {
  ;(response as unknown as { _header: string })._header = head
}

/** The time as HTTP writes it, worked out once a second. */
class HttpDate {
  #second = 0
  #text = ''

  now(): string {
    const second = Math.floor(Date.now() / SECOND)
    if (second !== this.#second) {
      this.#second = second
      this.#text = new Date(second * SECOND).toUTCString()
    }
    return this.#text
  }
}
