import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { startMailCatcher } from './mailCatcher.ts'

async function start(options: Parameters<typeof startMailCatcher>[0] = {}) {
  const catcher = await startMailCatcher(options)
  const transport = createTransport(catcher.smtpUrl)
  const read = (at: string, headers: Record<string, string> = {}) => fetch(`${catcher.mailboxUrl}${at}`, { headers })
  return {
    ...catcher,
    send: (mail: { to?: string; subject?: string; text?: string; html?: string }) =>
      transport.sendMail({ from: 'shop@example.com', to: 'a@example.com', subject: 'Hello', ...mail }),
    read,
    messages: async () => (await (await read('/messages')).json()) as { subject: string }[],
  }
}

function makeFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mails-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function started(options: Parameters<typeof startMailCatcher>[0] = {}) {
  const catcher = await start(options)
  onTestFinished(catcher.stop)
  return catcher
}

test('sent mails are available as JSON, newest last', async () => {
  const { send, messages } = await started()
  await send({ subject: 'First', text: 'Your code is 123456.', html: '<b>123456</b>' })
  await send({ to: 'b@example.com', subject: 'Zweite – Größe', text: 'x' })
  expect(await messages()).toEqual([
    { at: expect.any(String), to: 'a@example.com', subject: 'First', text: 'Your code is 123456.\n', html: '<b>123456</b>\n' },
    { at: expect.any(String), to: 'b@example.com', subject: 'Zweite – Größe', text: 'x\n', html: '' },
  ])
})

test('the mailbox lists the newest mail first with its code, and escapes all mail content', async () => {
  const { send, read } = await started()
  await send({ subject: '<script>alert(1)</script>', text: 'Your code is 123456.' })
  await send({ subject: 'Newer', text: 'Transaction: 0x12ab626333c4' })
  const page = await (await read('/')).text()
  expect(page).not.toContain('<script>alert')
  expect(page.match(/<code>.*?<\/code>/g)).toEqual(['<code>123456</code>'])
  expect(page.indexOf('Newer')).toBeLessThan(page.indexOf('alert(1)'))
})

test('a mail is displayed in a sandbox without scripts', async () => {
  const { send, read } = await started()
  await send({ html: '<p>Hi</p><script>alert(1)</script>' })
  const mail = await read('/1')
  expect(mail.headers.get('content-security-policy')).toMatch(/^sandbox (?!.*allow-scripts).*default-src 'none'/)
  expect(await mail.text()).toContain('<p>Hi</p>')
})

test('a request with another host name is refused', async () => {
  const { mailboxUrl } = await started()
  const status = await new Promise((resolve) =>
    request(`${mailboxUrl}/messages`, { headers: { host: 'evil.example' } }, ({ statusCode }) => resolve(statusCode)).end(),
  )
  expect(status).toBe(403)
})

test('mails survive a restart, even if the last line of the file is incomplete', async () => {
  const file = path.join(makeFolder(), 'mails.jsonl')
  const before = await start({ file })
  await before.send({ subject: 'Kept' })
  await before.stop()
  appendFileSync(file, '{"id":2,"subject":"to')

  const after = await started({ file })
  await after.send({ subject: 'Later' })
  expect((await after.messages()).map(({ subject }) => subject)).toEqual(['Kept', 'Later'])
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2)
})

test('a port in use is reported with the variable that changes it', async () => {
  const { mailboxUrl, smtpUrl } = await started()
  const portOf = (url: string) => Number(new URL(url).port)
  await expect(startMailCatcher({ mailboxPort: portOf(mailboxUrl) })).rejects.toThrow('EMBEDDED_MAILBOX_PORT')
  await expect(startMailCatcher({ smtpPort: portOf(smtpUrl) })).rejects.toThrow(
    `Port ${portOf(smtpUrl)} for embedded mail (SMTP) is in use by another program. End that program, or set EMBEDDED_SMTP_PORT to a free port.`,
  )
})
