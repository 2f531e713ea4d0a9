import type { Transporter } from 'nodemailer'
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

/** Gives up within a minute: before the lease of a mail that is being handed over ends. */
export function createMailTransport({ SMTP_URL, MAIL_FROM }: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): MailTransport {
  let connecting: Promise<Transporter> | undefined
  // Only a role that sends mails needs it.
  const connect = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport(
      `${SMTP_URL}${SMTP_URL.includes('?') ? '&' : '?'}pool=true&connectionTimeout=10000&greetingTimeout=10000&socketTimeout=60000`,
    )
  }
  return {
    async send(mail) {
      connecting ??= connect()
      const transport = await connecting
      await transport.sendMail({ from: MAIL_FROM, ...mail })
    },
    stop: () => void connecting?.then((transport) => transport.close()),
  }
}
