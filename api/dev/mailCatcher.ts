import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { type CaughtMail, mailboxPolicy, renderMail, renderMailbox } from './mailboxPage.ts'
import { MailStore } from './MailStore.ts'
import { PortBusyError } from './PortBusyError.ts'

export interface MailCatcher {
  /** The product's SMTP server. */
  smtpUrl: string
  /** The mailbox for the browser; `/messages` returns the mails as JSON. */
  mailboxUrl: string
  /** Newest last. */
  mails: () => readonly CaughtMail[]
  /** Returns the first matching mail, or waits for it. */
  waitFor: (matches: (mail: CaughtMail) => boolean) => Promise<CaughtMail>
  stop: () => Promise<void>
}

interface MailCatcherOptions {
  /** A free port by default. */
  smtpPort?: number
  mailboxPort?: number
  /** Stores the mails between starts. */
  file?: string
}

/** Starts an SMTP server and a mailbox page on 127.0.0.1. Mails are stored and displayed, never delivered. */
export async function startMailCatcher({ smtpPort = 0, mailboxPort = 0, file }: MailCatcherOptions = {}): Promise<MailCatcher> {
  const store = await MailStore.open(file)

  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const parsed = await PostalMime.parse(await buffer(stream))
    // The SMTP server accepts a mail only after it is stored.
    await store.add({
      at: new Date().toISOString(),
      to: session.envelope.rcptTo.map(({ address }) => address).join(', '),
      subject: parsed.subject ?? '',
      text: parsed.text ?? '',
      html: parsed.html ?? '',
    })
  }

  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    disableReverseLookup: true,
    onData: (stream, session, done) => void receive(stream, session).then(() => done(), done),
  })
  // Ignores aborted connections. A port in use is reported below.
  smtp.on('error', () => {})
  const mailbox = createServer((request, response) => answer(request, response, store.mails))

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
    await store.close()
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
    mails: () => store.mails,
    waitFor: (matches) => store.waitFor(matches),
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
  // Prevents DNS rebinding: a page of another site must not read codes through a host name that resolves to 127.0.0.1.
  const host = request.headers.host?.replace(/:\d+$/, '')
  if (host !== '127.0.0.1' && host !== 'localhost')
    return send(response, { status: 403, type: 'text/plain', body: 'Forbidden host.' })
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/messages') {
    const body = JSON.stringify(mails.map(({ at, to, subject, text, html }) => ({ at, to, subject, text, html })))
    return send(response, { type: 'application/json', body })
  }
  if (pathname === '/') return send(response, { body: renderMailbox(mails), policy: mailboxPolicy })
  const mail = mails.find(({ id }) => pathname === `/${id}`)
  if (!mail) return send(response, { status: 404, type: 'text/plain', body: 'Mail not found.' })
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
