import { expect, onTestFinished, test } from 'vitest'
import { startMailCatcher } from '../dev/mailCatcher.ts'
import { composeMail, type MailText } from './composeMail.ts'
import { createMailTransport } from './mailTransport.ts'

const attacks = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</title></td></table><a href="https://evil.example">Pay here</a>',
  "' onmouseover='alert(1)",
  '&lt;b&gt; &#60;b&#62;',
]

const filledWith = (words: string): MailText => ({
  brandName: words,
  supportEmail: words,
  subject: words,
  paragraphs: [words, words],
  highlight: words,
  facts: [[words, words]],
})

const tagsOf = (html: string): string[] => html.match(/<[^>]*>/g) ?? []
const wordsOf = (html: string): string =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

test.each(attacks)('%s stays text in every part of a mail', (attack) => {
  const { html, text } = composeMail('a@example.com', filledWith(attack))
  expect(tagsOf(html)).toEqual(tagsOf(composeMail('a@example.com', filledWith('words')).html))
  expect(wordsOf(html).split(attack)).toHaveLength(9)
  expect(text.split(attack)).toHaveLength(8)
})

test('a subject of several lines adds no header and no recipient', async () => {
  const catcher = await startMailCatcher()
  onTestFinished(() => catcher.stop())
  const subject = 'Hello\r\nBcc: thief@example.com\r\n\r\nPay here'
  const transport = createMailTransport({ SMTP_URL: catcher.smtpUrl, MAIL_FROM: 'nodes@example.com' })
  onTestFinished(() => transport.stop())
  await transport.send(composeMail('a@example.com', { ...filledWith('words'), subject }))
  const [mail, ...others] = catcher.mails()
  expect(others).toEqual([])
  expect(mail!.to).toBe('a@example.com')
  expect(mail!.subject).not.toMatch(/[\r\n]/)
  expect(mail!.text).not.toContain('Bcc')
})
