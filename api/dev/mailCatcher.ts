import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, rename, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { type CaughtMail, mailboxPolicy, renderMail, renderMailbox } from './mailboxPage.ts'
import { PortBusyError } from './PortBusyError.ts'

export interface MailCatcher {
  /** Where the product sends its mails. */
  smtpUrl: string
  /** Where a person reads them; `/messages` answers them as JSON. */
  mailboxUrl: string
  /** Newest last. */
  mails: () => readonly CaughtMail[]
  /** The first mail, caught already or yet to come, that fits. */
  waitFor: (fits: (mail: CaughtMail) => boolean) => Promise<CaughtMail>
  stop: () => Promise<void>
}

interface MailCatcherOptions {
  /** A free one where none is given. */
  smtpPort?: number
  mailboxPort?: number
  /** Keeps the mails between starts. */
  file?: string
}

const MOST_MAILS = 500

/** Takes every mail sent to it, on 127.0.0.1, delivers none, and shows them. */
export async function startMailCatcher({ smtpPort = 0, mailboxPort = 0, file }: MailCatcherOptions = {}): Promise<MailCatcher> {
  let mails = file === undefined ? [] : readKept(file)
  const watchers = new Set<(mail: CaughtMail) => void>()
  if (file !== undefined) await rewrite(file, mails)
  let linesInFile = mails.length

  /** The sender is told that its mail was taken only once it is written down. One after the other, so that no line is torn. */
  let writing = Promise.resolve()
  const keep = (mail: CaughtMail) =>
    (writing = writing
      .catch(() => {})
      .then(async () => {
        if (file === undefined) return
        await appendFile(file, `${JSON.stringify(mail)}\n`)
        if (++linesInFile < MOST_MAILS * 2) return
        await rewrite(file, mails)
        linesInFile = mails.length
      }))

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const parsed = await PostalMime.parse(await buffer(stream))
    const mail: CaughtMail = {
      id: (mails.at(-1)?.id ?? 0) + 1,
      at: new Date().toISOString(),
      to: session.envelope.rcptTo.map(({ address }) => address).join(', '),
      subject: parsed.subject ?? '',
      text: parsed.text ?? '',
      html: parsed.html ?? '',
    }
    mails = [...mails, mail].slice(-MOST_MAILS)
    await keep(mail)
    for (const watch of watchers) watch(mail)
  }

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    disableReverseLookup: true,
    onData: (stream, session, done) => void take(stream, session).then(() => done(), done),
  })
  // A client that breaks off is no concern of ours, and a port that is taken is reported below.
  smtp.on('error', () => {})
  const mailbox = createServer((request, response) => answer(request, response, mails))

  const listening = await Promise.allSettled([
    listen(smtp.server as unknown as Server, { port: smtpPort, part: 'embedded mail (SMTP)', variable: 'EMBEDDED_SMTP_PORT' }),
    listen(mailbox, { port: mailboxPort, part: 'the mailbox', variable: 'EMBEDDED_MAILBOX_PORT' }),
  ])
  const stop = async () => {
    mailbox.closeAllConnections()
    await Promise.all([
      new Promise<void>((resolve) => smtp.close(() => resolve())),
      new Promise<void>((resolve) => mailbox.close(() => resolve())),
    ])
    await writing
  }
  const [smtpListening, mailboxListening] = listening
  for (const one of listening)
    if (one.status === 'rejected') {
      if (smtpListening.status === 'fulfilled') smtp.close(() => {})
      if (mailboxListening.status === 'fulfilled') mailbox.close()
      throw one.reason
    }
  return {
    smtpUrl: `smtp://127.0.0.1:${portOf(smtp.server as unknown as Server)}`,
    mailboxUrl: `http://127.0.0.1:${portOf(mailbox)}`,
    mails: () => mails,
    waitFor: (fits) =>
      new Promise((resolve) => {
        const caught = mails.find(fits)
        if (caught) return resolve(caught)
        const watch = (mail: CaughtMail) => {
          if (!fits(mail)) return
          watchers.delete(watch)
          resolve(mail)
        }
        watchers.add(watch)
      }),
    stop,
  }
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

async function listen(server: Server, { port, part, variable }: { port: number; part: string; variable: string }): Promise<void> {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new PortBusyError({ port, part, variable })
  }
}

function answer(request: IncomingMessage, response: ServerResponse, mails: readonly CaughtMail[]): void {
  // A page of another site that points its own name at 127.0.0.1 must not read codes.
  const host = request.headers.host?.replace(/:\d+$/, '')
  if (host !== '127.0.0.1' && host !== 'localhost') return send(response, { status: 403, type: 'text/plain', body: 'Not here.' })
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/messages') {
    const body = JSON.stringify(mails.map(({ at, to, subject, text, html }) => ({ at, to, subject, text, html })))
    return send(response, { type: 'application/json', body })
  }
  if (pathname === '/') return send(response, { body: renderMailbox(mails), policy: mailboxPolicy })
  const mail = mails.find(({ id }) => pathname === `/${id}`)
  if (!mail) return send(response, { status: 404, type: 'text/plain', body: 'There is no such mail.' })
  const { body, policy } = renderMail(mail)
  send(response, { body, policy })
}

interface Page {
  status?: number
  type?: string
  body: string
  policy?: string
}

function send(response: ServerResponse, { status = 200, type = 'text/html', body, policy = "default-src 'none'" }: Page): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  response.end(body)
}

/** One mail a line; the last line may be torn, if the writer was killed. */
function readKept(file: string): CaughtMail[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as CaughtMail]
      } catch {
        return []
      }
    })
    .slice(-MOST_MAILS)
}

async function rewrite(file: string, mails: readonly CaughtMail[]): Promise<void> {
  await writeFile(`${file}.new`, mails.map((mail) => `${JSON.stringify(mail)}\n`).join(''), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
