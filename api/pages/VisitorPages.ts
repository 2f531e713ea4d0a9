import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { escapeHtml } from '#api/platform/escapeHtml.ts'
import { sessionCookieName } from '#api/platform/http/cookieSession.ts'
import { chosenLanguage, type Language, preferredLanguage } from '#shared/languages.ts'
import { allowInline } from '#api/platform/http/securityHeaders.ts'
import type { PublicAnswers } from './publicAnswers/PublicAnswers.ts'
import type { Services } from '#api/platform/services.ts'
import { readSetupStatus } from '#api/accounts/setup/readSetupStatus.ts'
import { listsTag } from '#api/platform/http/listsTag.ts'

/** Written by `vite build`: see pwa/server/serverRendering.ts. */
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
  /** The version of the public answers that it was rendered from. */
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
 * Renders the public pages for visitors with the current public answers: on request, and once for each version of these answers. Users with
 * a session cookie get the page without content, but with the same data. The pages contain no personal data.
 */
export class VisitorPages {
  readonly #options: VisitorPagesOptions
  readonly #templates: Record<string, Record<Audience, VisitorTemplate>>
  readonly #render: RenderPage
  readonly #headers = new Map<string, Record<string, string>>()
  readonly #pages = new Map<string, Promise<VisitorPage>>()
  readonly #versions = new Map<string, string>()
  #isSetUp = false

  private constructor(
    options: VisitorPagesOptions,
    built: { templates: Record<string, Record<Audience, VisitorTemplate>>; render: RenderPage },
  ) {
    this.#options = options
    this.#templates = built.templates
    this.#render = built.render
    for (const [at, audiences] of Object.entries(built.templates))
      for (const [audience, { inline }] of Object.entries(audiences))
        this.#headers.set(`${audience} ${at}`, {
          ...allowInline(options.securityHeaders, inline),
          'Content-Type': 'text/html; charset=utf-8',
          'Cache-Control': 'no-cache',
          Vary: 'Accept-Encoding, Accept-Language, Cookie',
        })
  }

  /** Loads the build. Undefined if there is none. */
  static async load(dist: string, options: VisitorPagesOptions): Promise<VisitorPages | undefined> {
    const folder = path.join(dist, '.server')
    if (!existsSync(folder)) return undefined
    const templates = JSON.parse(await readFile(path.join(folder, 'templates.json'), 'utf8')) as Record<
      string,
      Record<Audience, VisitorTemplate>
    >
    const { renderPage } = (await import(pathToFileURL(path.join(folder, 'renderPage.mjs')).href)) as { renderPage: RenderPage }
    return new VisitorPages(options, { templates, render: renderPage })
  }

  /** Answers a request for a public page and passes every other request to `next`. */
  answer(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    const at = this.#pathOf(request)
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

  /** The path of a public page; undefined for every other request. */
  #pathOf({ method, url = '' }: IncomingMessage): string | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    const [at = '', search = ''] = url.split('?')
    // The login marker redirects to another page.
    return Object.hasOwn(this.#templates, at) && !/(^|&)login=/.test(search) ? at : undefined
  }

  async #send(at: string, audience: Audience, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (!(await this.#hasSetUp())) return false
    const page = await this.#current(at, audience, languageOf(request))
    const headers = { ...this.#headers.get(`${audience} ${at}`), ETag: page.etag }
    if (listsTag(request.headers['if-none-match'], page.etag)) {
      response.writeHead(304, headers).end()
      return true
    }
    const [encoding, body] = await encode(page, String(request.headers['accept-encoding'] ?? ''))
    response
      .writeHead(200, { ...headers, ...(encoding && { 'Content-Encoding': encoding }), 'Content-Length': body.length })
      .end(body)
    return true
  }

  /** Before the setup every page redirects to it. The setup is never undone, so the result is kept. */
  async #hasSetUp(): Promise<boolean> {
    if (!this.#isSetUp) this.#isSetUp = !(await readSetupStatus(this.#options.services.orm.em.fork())).setupRequired
    return this.#isSetUp
  }

  #current(at: string, audience: Audience, language: Language): Promise<VisitorPage> {
    const { version, answers } = this.#options.answers.snapshot()
    const key = `${audience} ${language} ${at}`
    const cached = this.#pages.get(key)
    if (cached && this.#versions.get(key) === version) return cached
    const page = this.#make(at, { audience, language, version, answers })
    this.#pages.set(key, page)
    this.#versions.set(key, version)
    // After a failure the next request renders it again.
    page.catch(() => this.#versions.delete(key))
    return page
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
    const page = await this.#render(at, figures, language)
    const [title, content] = [page.title, audience === 'visitor' ? page.content : '']
    const { brandName } = figures['/api/config'] as { brandName: string }
    const { PUBLIC_URL } = this.#options.services.config
    const canonical = PUBLIC_URL ? `<link rel="canonical" href="${escapeHtml(new URL(at, PUBLIC_URL).href)}">` : ''
    // Replacement functions, because a replacement string may contain patterns such as `$&`.
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

/** Compresses each page once per encoding. */
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

/** The language chosen on the page, or the browser's preferred one. */
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

/** JSON that cannot close the script element around it. */
const escapeJson = (value: unknown): string => JSON.stringify(value).replace(/</g, '\\u003c')
