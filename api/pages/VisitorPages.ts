import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { sessionCookieName } from '#api/platform/http/cookieSession.ts'
import { chosenLanguage, type Language, preferredLanguage } from '#shared/languages.ts'
import { allowInline } from '#api/platform/http/securityHeaders.ts'
import type { PublicAnswers } from './publicAnswers/PublicAnswers.ts'
import type { Services } from '#api/platform/services.ts'
import { readSetupStatus } from '#api/accounts/setup/readSetupStatus.ts'

/** What `vite build` has left for the server: see pwa/server/serverRendering.ts. */
interface VisitorTemplate {
  html: string
  korean: string
  inline: { style: string; script: string }
}

type Audience = 'visitor' | 'member'

type RenderPage = (
  path: string,
  figures: Record<string, unknown>,
  language: Language,
) => Promise<{ title: string; content: string }>

interface VisitorPage {
  /** Of the public answers that it was drawn from. */
  version: string
  etag: string
  plain: Buffer
  brotli?: Promise<Buffer>
  gzip?: Promise<Buffer>
}

interface VisitorPagesOptions {
  services: Pick<Services, 'config' | 'orm'>
  answers: PublicAnswers
  securityHeaders: Record<string, string>
  onError: (error: unknown) => void
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/**
 * The public pages as a visitor sees them who is not logged in, drawn with the figures of this moment: once for each change of the
 * public answers, however many ask, and not at all while nobody does. Somebody who may be logged in gets them empty, with the same
 * figures and all that their own need: nothing of a person stands in them.
 */
export class VisitorPages {
  readonly #options: VisitorPagesOptions
  readonly #templates: Record<string, Record<Audience, VisitorTemplate>>
  readonly #draw: RenderPage
  readonly #headers = new Map<string, Record<string, string>>()
  readonly #pages = new Map<string, Promise<VisitorPage>>()
  readonly #versions = new Map<string, string>()
  #isSetUp = false

  private constructor(
    options: VisitorPagesOptions,
    built: { templates: Record<string, Record<Audience, VisitorTemplate>>; draw: RenderPage },
  ) {
    this.#options = options
    this.#templates = built.templates
    this.#draw = built.draw
    for (const [at, audiences] of Object.entries(built.templates))
      for (const [audience, { inline }] of Object.entries(audiences))
        this.#headers.set(`${audience} ${at}`, {
          ...allowInline(options.securityHeaders, inline),
          'Content-Type': 'text/html; charset=utf-8',
          'Cache-Control': 'no-cache',
          Vary: 'Accept-Encoding, Accept-Language, Cookie',
        })
  }

  /** Reads what was built. */
  static async load(dist: string, options: VisitorPagesOptions): Promise<VisitorPages | undefined> {
    const folder = path.join(dist, '.server')
    if (!existsSync(folder)) return undefined
    const templates = JSON.parse(await readFile(path.join(folder, 'templates.json'), 'utf8')) as Record<
      string,
      Record<Audience, VisitorTemplate>
    >
    const { renderPage } = (await import(pathToFileURL(path.join(folder, 'renderPage.mjs')).href)) as { renderPage: RenderPage }
    return new VisitorPages(options, { templates, draw: renderPage })
  }

  /** Answers the request, or hands it on. */
  answer(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    const at = this.#placeOf(request)
    if (at === undefined) return next()
    const audience = hasCookie(request.headers.cookie, sessionCookieName('user', this.#options.services.config))
      ? 'member'
      : 'visitor'
    this.#send(at, audience, request, response).then(
      (isSent) => isSent || next(),
      (error: unknown) => {
        this.#options.onError(error)
        if (!response.headersSent) next()
      },
    )
  }

  /** The page that is asked for; undefined for everything else. */
  #placeOf({ method, url = '' }: IncomingMessage): string | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const [at = '', search = ''] = url.split('?')
    // The marker of the login leads on to another page.
    return Object.hasOwn(this.#templates, at) && !/(^|&)login=/.test(search) ? at : undefined
  }

  async #send(at: string, audience: Audience, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (!(await this.#hasSetUp())) return false
    const page = await this.#current(at, audience, languageOf(request))
    const headers = { ...this.#headers.get(`${audience} ${at}`), ETag: page.etag }
    if (request.headers['if-none-match']?.includes(page.etag)) {
      response.writeHead(304, headers).end()
      return true
    }
    const [encoding, body] = await encode(page, String(request.headers['accept-encoding'] ?? ''))
    response
      .writeHead(200, { ...headers, ...(encoding && { 'Content-Encoding': encoding }), 'Content-Length': body.length })
      .end(body)
    return true
  }

  /** Before the set-up every page leads there. It is never undone. */
  async #hasSetUp(): Promise<boolean> {
    if (!this.#isSetUp) this.#isSetUp = !(await readSetupStatus(this.#options.services.orm.em.fork())).setupRequired
    return this.#isSetUp
  }

  #current(at: string, audience: Audience, language: Language): Promise<VisitorPage> {
    const { version, answers } = this.#options.answers.snapshot()
    const key = `${audience} ${language} ${at}`
    const kept = this.#pages.get(key)
    if (kept && this.#versions.get(key) === version) return kept
    const drawn = this.#make(at, { audience, language, version, answers })
    this.#pages.set(key, drawn)
    this.#versions.set(key, version)
    // One that could not be drawn is tried again by the next who asks.
    drawn.catch(() => this.#versions.delete(key))
    return drawn
  }

  async #make(
    at: string,
    {
      audience,
      language,
      version,
      answers,
    }: { audience: Audience; language: Language; version: string; answers: Record<string, string> },
  ): Promise<VisitorPage> {
    const figures = Object.fromEntries(Object.entries(answers).map(([name, body]) => [name, JSON.parse(body) as unknown]))
    const drawn = await this.#draw(at, figures, language)
    const [title, content] = [drawn.title, audience === 'visitor' ? drawn.content : '']
    const { brandName } = figures['/api/config'] as { brandName: string }
    const { PUBLIC_URL } = this.#options.services.config
    const canonical = PUBLIC_URL ? `<link rel="canonical" href="${escapeHtml(new URL(at, PUBLIC_URL).href)}">` : ''
    // Texts in place of texts: what is put in may itself hold what `replace` would read as a pattern.
    const { html: template, korean } = this.#templates[at]![audience]
    const html = template
      .replace('<html lang="en">', `<html lang="${language}">`)
      .replace('</head>', () => `${language === 'ko' ? korean : ''}</head>`)
      .replace(/<title>.*?<\/title>/, () => `<title>${escapeHtml(`${title} · ${brandName}`)}</title>${canonical}`)
      .replace(
        '<div id="root"></div>',
        () => `<div id="root">${content}</div><script type="application/json" id="figures">${escapeJson(figures)}</script>`,
      )
    return { version, etag: `"${createHash('sha1').update(html).digest('base64url')}"`, plain: Buffer.from(html) }
  }
}

/** Packed once for all who take it that way. */
async function encode(page: VisitorPage, accepted: string): Promise<[encoding: string | undefined, body: Buffer]> {
  if (/\bbr\b/.test(accepted)) {
    page.brotli ??= compressBrotli(page.plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
    return ['br', await page.brotli]
  }
  if (/\bgzip\b/.test(accepted)) {
    page.gzip ??= compressGzip(page.plain)
    return ['gzip', await page.gzip]
  }
  return [undefined, page.plain]
}

/** The language that was chosen on the page, or else the one that the browser asks for. */
function languageOf({ headers }: IncomingMessage): Language {
  const accepted = (headers['accept-language'] ?? '')
    .split(',')
    .map((entry) => {
      const [tag = '', quality] = entry.split(';q=')
      return { tag: tag.trim(), quality: Number(quality ?? 1) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
  return chosenLanguage(headers.cookie ?? '') ?? preferredLanguage(accepted.map(({ tag }) => tag))
}

const hasCookie = (header: string | undefined, name: string): boolean =>
  header?.split(';').some((pair) => pair.trim().startsWith(`${name}=`)) ?? false

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!)

/** JSON that cannot end the element it stands in. */
const escapeJson = (value: unknown): string => JSON.stringify(value).replace(/</g, '\\u003c')
