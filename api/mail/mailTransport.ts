import nodemailer from 'nodemailer'
import type { Config } from '../config.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** Hands mails to the SMTP server. */
export interface MailTransport {
  send(mail: Mail): Promise<void>
  stop(): void
}

export function createMailTransport(config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): MailTransport {
  const transport = nodemailer.createTransport(
    `${config.SMTP_URL}${config.SMTP_URL.includes('?') ? '&' : '?'}pool=true&connectionTimeout=10000`,
  )
  return {
    async send(mail) {
      await transport.sendMail({ from: config.MAIL_FROM, ...mail })
    },
    stop: () => transport.close(),
  }
}
