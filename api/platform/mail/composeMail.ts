import type { Language } from '#shared/languages.ts'
import { escapeHtml } from '../escapeHtml.ts'
import type { Mail } from './mailTransport.ts'
import { inLanguage, sentence } from './sentence.ts'

export interface MailText {
  /** The language of all texts. */
  language: Language
  brandName: string
  supportEmail: string
  subject: string
  /** Paragraphs as plain text. */
  paragraphs: readonly string[]
  /** A code or an amount, shown large. */
  highlight?: string
  /** A link shown as a red button, because it stops something, and what it does. */
  action?: { label: string; address: string; note: string }
  /** Name–value pairs, such as a transaction hash. */
  facts?: readonly (readonly [string, string])[]
}

/** Renders a mail as text and HTML. Everything is escaped, so user input stays text. */
export function composeMail(
  to: string,
  { language, brandName, supportEmail, subject, paragraphs, highlight, action, facts = [] }: MailText,
): Mail {
  const questions = inLanguage(language, sentence('Questions? {address}', { address: supportEmail }))
  const [first = '', ...rest] = paragraphs
  const text = [
    first,
    ...(highlight ? [highlight] : []),
    ...rest,
    ...(action ? [`${action.label}\n${action.address}\n${action.note}`] : []),
    ...(facts.length > 0 ? [facts.map(([name, value]) => `${name}: ${value}`).join('\n')] : []),
    `${brandName}\n${questions}`,
  ].join('\n\n')
  const paragraph = (line: string) => `<p style="margin:0 0 16px">${escapeHtml(line).replaceAll('\n', '<br>')}</p>`
  const html = `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f6f8;color:#12161c;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:520px;margin:0 auto;padding:28px;background:#fff;border:1px solid #dde2e8;border-radius:12px">
<p style="margin:0 0 20px;font-weight:600">${escapeHtml(brandName)}</p>
${paragraph(first)}
${highlight ? `<p style="margin:0 0 16px;font-size:28px;font-weight:600;letter-spacing:.12em;font-variant-numeric:tabular-nums">${escapeHtml(highlight)}</p>` : ''}
${rest.map(paragraph).join('\n')}
${action ? `<p style="margin:0 0 8px"><a href="${escapeHtml(action.address)}" style="display:inline-block;padding:12px 18px;border:1px solid #b3261e;border-radius:10px;color:#b3261e;font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p><p style="margin:0 0 16px;font-size:13px;color:#5b6572">${escapeHtml(action.note)}</p>` : ''}
${facts.length > 0 ? `<table style="border-collapse:collapse;font-size:14px">${facts.map(([name, value]) => `<tr><td style="padding:4px 16px 4px 0;color:#5b6572;vertical-align:top">${escapeHtml(name)}</td><td style="padding:4px 0;word-break:break-all">${escapeHtml(value)}</td></tr>`).join('')}</table>` : ''}
<p style="margin:24px 0 0;font-size:13px;color:#5b6572">${escapeHtml(questions)}</p>
</div></body></html>`
  return { to, subject, text, html }
}

/** Adds a block of exact text to a mail, such as a signed receipt. */
export function appendBlock(
  { text, html }: Pick<Mail, 'text' | 'html'>,
  { intro, block }: { intro: string; block: string },
): Pick<Mail, 'text' | 'html'> {
  const end = html.lastIndexOf('</div></body></html>')
  const added = `<p style="margin:24px 0 8px;font-size:13px;color:#5b6572">${escapeHtml(intro)}</p>
<pre style="margin:0;font-size:12px;white-space:pre-wrap;word-break:break-all">${escapeHtml(block)}</pre>
`
  return { text: `${text}\n\n${intro}\n\n${block}`, html: html.slice(0, end) + added + html.slice(end) }
}
