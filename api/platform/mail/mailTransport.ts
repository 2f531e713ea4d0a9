import type { Transporter } from 'nodemailer'
import type { Config } from '../config.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** Sends mails to the SMTP server. */
export interface MailTransport {
  send(mail: Mail): Promise<void>
  stop(): void
}

/** Whether the server refuses the recipient for good, not our login or sender. */
export function isRecipientRefused(error: unknown): boolean {
  const { rejectedErrors = [] } = (error ?? {}) as { rejectedErrors?: readonly { responseCode?: number }[] }
  return rejectedErrors.length > 0 && rejectedErrors.every(({ responseCode = 0 }) => responseCode >= 500)
}

/** Times out within a minute, before the mail's lease expires. */
export function createMailTransport({ SMTP_URL, MAIL_FROM }: Pick<Config, 'SMTP_URL' | 'MAIL_FROM'>): MailTransport {
  let connecting: Promise<Transporter> | undefined
  // Loaded lazily, because only roles that send mails need it.
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
