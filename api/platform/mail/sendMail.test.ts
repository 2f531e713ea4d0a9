import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { MINUTE } from '#shared/dates.ts'
import { startMailCatcher } from '#api/dev/mailCatcher.ts'
import { sql } from '../db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startServer } from '#api/testing/server.ts'
import { composeMail } from './composeMail.ts'
import { isRecipientRefused } from './mailTransport.ts'
import { queueMail, sendMailJob } from './queueMail.ts'
import { sendDueMails, sendMail } from './sendMail.ts'

const database = useDatabase()

const text = {
  language: 'en',
  brandName: 'XCR Nodes',
  supportEmail: 'help@example.com',
  subject: 'Hello <you>',
  paragraphs: ['One & two.'],
} as const

async function setup(smtpUrl: string) {
  const { services } = await startServer(database, { env: { SMTP_URL: smtpUrl } })
  await sql(services.orm.em.fork(), 'delete from outgoing_mails')
  await services.orm.em.fork().transactional((em) => queueMail(em, services.jobs, composeMail('a@example.com', text)))
  const [row] = await sql<{ id: string }>(services.orm.em.fork(), 'select id from outgoing_mails')
  const state = async () =>
    (
      await sql<{ sent: boolean; attempts: number }>(
        services.orm.em.fork(),
        'select sent_at is not null as sent, attempts from outgoing_mails',
      )
    )[0]
  return { services, mailId: row!.id, state }
}

test('a queued mail is sent once, even if several workers run its job repeatedly', async () => {
  const catcher = await startMailCatcher()
  onTestFinished(() => catcher.stop())
  const { services, mailId, state } = await setup(catcher.smtpUrl)

  await Promise.all([sendMail.run({ mailId }, services), sendMail.run({ mailId }, services), sendDueMails.run(services)])
  await sendDueMails.run(services)

  expect(catcher.mails()).toMatchObject([{ to: 'a@example.com', subject: 'Hello <you>' }])
  expect(catcher.mails()[0]!.html).toContain('One &amp; two.')
  expect(await state()).toEqual({ sent: true, attempts: 1 })
})

test('a mail that the server refuses is kept and retried when it is due again', async () => {
  const { services, mailId, state } = await setup('smtp://127.0.0.1:9')
  await sendMail.run({ mailId }, services)
  expect(await state()).toEqual({ sent: false, attempts: 1 })
  await sendDueMails.run(services)
  expect(await state()).toEqual({ sent: false, attempts: 1 })

  await sql(services.orm.em.fork(), `update outgoing_mails set next_attempt_at = now() - interval '1 second'`)
  await sendDueMails.run(services)

  expect(await state()).toEqual({ sent: false, attempts: 2 })
})

describe('a recipient whom the server refuses', () => {
  /** A server that answers the address nobody@example.com with an error. */
  async function startRefusing(responseCode: number) {
    const refusal = Object.assign(new Error('Not this one'), { responseCode })
    const server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      logger: false,
      disableReverseLookup: true,
      onRcptTo: ({ address }, _session, done) => done(address === 'nobody@example.com' ? refusal : null),
      onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
    })
    const listening = server.listen(0, '127.0.0.1')
    await once(listening, 'listening')
    onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
    const { services, mailId: accepted } = await setup(`smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`)
    const em = services.orm.em.fork()
    const queue = (lifetime?: number) =>
      em.transactional((em) => queueMail(em, services.jobs, composeMail('nobody@example.com', text), { lifetime }))
    const minutesLeft = async (id: string) => {
      const rows = await sql<{ minutes: number | null }>(
        em,
        'select round(extract(epoch from attempts_end_at - created_at) / 60)::int as minutes from outgoing_mails where id = $1',
        [id],
      )
      return rows[0]!.minutes
    }
    const retry = async (using: Parameters<typeof sendDueMails.run>[0] = services) => {
      await sql(em, `update outgoing_mails set next_attempt_at = now() - interval '1 second'`)
      await sendDueMails.run(using)
    }
    const attempts = async (id: string) =>
      (await sql<{ attempts: number }>(em, 'select attempts from outgoing_mails where id = $1', [id]))[0]!.attempts
    return { services, em, accepted, queue, minutesLeft, retry, attempts }
  }

  test('is tried while a code is valid, and for three days with any other mail, once others are accepted', async () => {
    const { services, em, accepted, queue, minutesLeft, retry, attempts } = await startRefusing(550)
    const [code, notice] = [await queue(10 * MINUTE), await queue()]
    await sendMail.run({ mailId: code }, services)
    await sendMail.run({ mailId: notice }, services)
    // As long as the server has accepted nothing, it may refuse everybody.
    expect([await minutesLeft(code), await minutesLeft(notice)]).toEqual([null, null])

    await sendMail.run({ mailId: accepted }, services)
    await retry()
    expect([await minutesLeft(code), await minutesLeft(notice)]).toEqual([10, 3 * 24 * 60])

    await sql(em, `update outgoing_mails set attempts_end_at = attempts_end_at - interval '11 minutes'`)
    await retry()
    expect([await attempts(code), await attempts(notice)]).toEqual([2, 3])
  })

  test('is tried without end, and raises the alarm, while alerts are mailed to it', async () => {
    const { services, accepted, queue, minutesLeft, retry } = await startRefusing(550)
    const alert = await queue()
    await sendMail.run({ mailId: accepted }, services)
    const retryWith = (ALERT_EMAIL: string) => retry({ ...services, config: { ...services.config, ALERT_EMAIL } })
    await retryWith('nobody@example.com')
    expect(await minutesLeft(alert)).toBe(null)

    await retryWith('operations@example.com')
    expect(await minutesLeft(alert)).toBe(3 * 24 * 60)
  })

  test('for the moment only is tried until the mail is accepted', async () => {
    const { services, accepted, queue, minutesLeft, retry } = await startRefusing(450)
    const code = await queue(10 * MINUTE)
    await sendMail.run({ mailId: accepted }, services)
    await retry()
    expect(await minutesLeft(code)).toBe(null)
  })
})

test('a refused login or sender is not the recipient’s', () => {
  const refused = (command: string) => Object.assign(new Error('535 Authentication failed'), { responseCode: 535, command })
  expect([refused('AUTH PLAIN'), refused('MAIL FROM'), new Error('no route'), undefined].map(isRecipientRefused)).not.toContain(
    true,
  )
})

test('a mail that somebody waits for is sent before the notices that were queued earlier', async () => {
  const { services } = await setup('smtp://127.0.0.1:9')
  const em = services.orm.em.fork()
  const queue = (to: string, isUrgent: boolean) =>
    em.transactional((em) => queueMail(em, services.jobs, composeMail(to, text), { isUrgent }))
  await queue('notice@example.com', false)
  const code = await queue('code@example.com', true)
  const boss = await services.jobs.start()
  expect(await boss.fetch(sendMailJob.name)).toMatchObject([{ data: { mailId: code } }])
})

test('a mail of a process whose clock is ahead is sent at once', async () => {
  const catcher = await startMailCatcher()
  onTestFinished(() => catcher.stop())
  const { services } = await setup(catcher.smtpUrl)
  vi.setSystemTime(Date.now() + 10_000)
  onTestFinished(() => void vi.useRealTimers())
  const em = services.orm.em.fork()
  const mailId = await em.transactional((em) => queueMail(em, services.jobs, composeMail('b@example.com', text)))
  await sendMail.run({ mailId }, services)
  expect(catcher.mails()).toMatchObject([{ to: 'b@example.com' }])
})

test('a code that has expired while the server was away is not mailed any more', async () => {
  const catcher = await startMailCatcher()
  onTestFinished(() => catcher.stop())
  const { services } = await setup(catcher.smtpUrl)
  const em = services.orm.em.fork()
  await sql(em, 'delete from outgoing_mails')
  const queue = (to: string, lifetime?: number) =>
    em.transactional((em) => queueMail(em, services.jobs, composeMail(to, text), { lifetime }))
  await queue('expired@example.com', -MINUTE)
  await queue('expired@example.com', -MINUTE)
  await queue('valid@example.com', MINUTE)
  await queue('notice@example.com')

  await sendDueMails.run(services)
  await sql(em, `update outgoing_mails set next_attempt_at = now() - interval '1 second'`)
  await sendDueMails.run(services)

  // The first one only shows that the server accepts mails again.
  expect(
    catcher
      .mails()
      .map(({ to }) => to)
      .toSorted(),
  ).toEqual(['expired@example.com', 'notice@example.com', 'valid@example.com'])
})

test('a mail is not queued if its transaction fails', async () => {
  const { services } = await setup('smtp://127.0.0.1:9')
  const failing = services.orm.em.fork().transactional(async (em) => {
    await queueMail(em, services.jobs, composeMail('b@example.com', text))
    throw new Error('no')
  })

  await expect(failing).rejects.toThrow('no')
  expect(await sql(services.orm.em.fork(), `select id from outgoing_mails where recipient = 'b@example.com'`)).toEqual([])
})
