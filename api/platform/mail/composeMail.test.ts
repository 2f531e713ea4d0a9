import { expect, onTestFinished, test } from 'vitest'
import { languages } from '#shared/languages.ts'
import { startMailCatcher } from '#api/dev/mailCatcher.ts'
import { composeMail, type MailText } from './composeMail.ts'
import { createMailTransport } from './mailTransport.ts'
import { sentence } from './sentence.ts'
import { type MailContent, writeMail } from './writeMail.ts'

const attacks = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</title></td></table><a href="https://evil.example">Pay here</a>',
  "' onmouseover='alert(1)",
  '&lt;b&gt; &#60;b&#62;',
]

const filledWith = (words: string): MailText => ({
  language: 'en',
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

test.each(attacks)('%s is escaped in every part of a mail', (attack) => {
  const { html, text } = composeMail('a@example.com', filledWith(attack))
  expect(tagsOf(html)).toEqual(tagsOf(composeMail('a@example.com', filledWith('words')).html))
  expect(wordsOf(html).split(attack)).toHaveLength(9)
  expect(text.split(attack)).toHaveLength(8)
})

const config = { BRAND_NAME: 'XCR Nodes', SUPPORT_EMAIL: 'help@example.com' }
const content: MailContent = {
  subject: sentence('Your purchase of {nodes} was rejected', { nodes: sentence('{count} nodes', { count: 1_200 }) }),
  paragraphs: ['Your password was changed'],
  facts: [
    ['Reason', 'Paid'],
    ['Time', new Date('2026-11-05T23:31:07.123Z')],
    ['Nodes', sentence('1 node')],
  ],
}

test("a mail uses its recipient's language and leaves user input unchanged", () => {
  const english = writeMail({ email: 'a@example.com', language: 'en' }, config, content)
  expect(english).toMatchObject({
    to: 'a@example.com',
    subject: 'Your purchase of 1,200 nodes was rejected',
    text: `Your password was changed

Reason: Paid
Time: 2026-11-05 23:31:07 UTC
Nodes: 1 node

XCR Nodes
Questions? help@example.com`,
  })
  expect(english.html).toContain('<html lang="en">')

  const korean = writeMail({ email: 'b@example.com', language: 'ko' }, config, content)
  expect(korean).toMatchObject({
    to: 'b@example.com',
    subject: '노드 1,200개 구매가 거절되었습니다',
    text: `비밀번호가 변경되었습니다

사유: Paid
시각: 2026년 11월 5일 23:31 UTC
노드: 노드 1개

XCR Nodes
문의: help@example.com`,
  })
  expect(korean.html).toContain('<html lang="ko">')
})

test.each(attacks)('%s is escaped as a value of a sentence, in every language', (attack) => {
  for (const language of languages) {
    const withValue = (address: string) =>
      writeMail({ email: 'a@example.com', language }, config, {
        subject: 'Your password was changed',
        paragraphs: [sentence('See your full history: {address}', { address })],
      }).html
    expect(tagsOf(withValue(attack))).toEqual(tagsOf(withValue('words')))
    expect(wordsOf(withValue(attack))).toContain(attack)
  }
})

// Checked by the compiler: each of these would be sent in English to everyone, or with placeholders.
export const mistakes = () => {
  // @ts-expect-error no Korean text
  sentence('Your nodes are gone')
  // @ts-expect-error a value is missing
  sentence('{count} nodes')
  // @ts-expect-error another name
  sentence('{count} nodes', { amount: 1 })
  // @ts-expect-error there is nothing to fill in
  sentence('1 node', { count: 1 })
  const reader = { email: 'a@example.com', language: 'ko' } as const
  // @ts-expect-error no Korean text
  writeMail(reader, config, { subject: 'Your nodes are gone', paragraphs: [] })
  // @ts-expect-error its value is missing
  writeMail(reader, config, { subject: '{count} nodes', paragraphs: [] })
}

test('a subject with line breaks adds no header and no recipient', async () => {
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
