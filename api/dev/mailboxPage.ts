import { createHash } from 'node:crypto'
import { escapeHtml } from '#api/platform/escapeHtml.ts'

export interface CaughtMail {
  id: number
  /** ISO UTC. */
  at: string
  /** The recipients, separated by commas. */
  to: string
  subject: string
  text: string
  html: string
}

/** Polls the page and replaces the list when there is a new mail, so that a text selection stays until then. */
const script = `
const list = document.querySelector('ol')
let open
const show = () => {
  for (const time of list.querySelectorAll('time')) {
    const at = new Date(time.dateTime)
    const today = at.toDateString() === new Date().toDateString()
    time.textContent = today ? at.toLocaleTimeString() : at.toLocaleDateString()
    time.title = at.toLocaleString()
  }
  for (const link of list.querySelectorAll('a')) link.toggleAttribute('aria-current', link.pathname === open)
}
show()
setInterval(async () => {
  const page = await fetch('/').then((answer) => answer.text(), () => undefined)
  if (page === undefined) return
  const fresh = new DOMParser().parseFromString(page, 'text/html').querySelector('ol')
  if (fresh.dataset.newest === list.dataset.newest) return
  list.dataset.newest = fresh.dataset.newest
  list.replaceChildren(...fresh.childNodes)
  show()
}, 2000)
list.addEventListener('click', (event) => {
  const link = event.target.closest('a')
  if (!link) return
  open = link.pathname
  show()
  if (innerWidth < 900) document.querySelector('iframe').scrollIntoView({ behavior: 'smooth' })
})`

const style = `
:root { color-scheme: light dark; --line: light-dark(#d9dde5, #2b303b); --soft: light-dark(#5b6473, #97a1b3);
  --page: light-dark(#f6f7f9, #0b0d12); --card: light-dark(#fff, #141821); --accent: light-dark(#0b62d6, #6cb0ff) }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; font: 16px/1.5 system-ui, sans-serif; background: var(--page); color: light-dark(#12161d, #e8ecf3);
  display: grid; grid-template: auto 1fr / minmax(20rem, 26rem) 1fr }
header { grid-column: 1 / -1; padding: 1rem 1.25rem; border-bottom: 1px solid var(--line) }
h1 { margin: 0; font-size: 1.1rem } header p { margin: 0; color: var(--soft); font-size: .875rem }
ol { margin: 0; padding: 0; list-style: none; border-right: 1px solid var(--line); overflow: auto; max-height: calc(100vh - 5rem) }
li { border-bottom: 1px solid var(--line) }
li a { display: block; padding: .8rem 1.25rem; color: inherit; text-decoration: none }
li a > span { display: flex; gap: 1rem; justify-content: space-between; align-items: baseline }
li a:hover, li a[aria-current] { background: var(--card) } li a[aria-current] { box-shadow: inset 3px 0 var(--accent) } li a:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px }
strong, .to { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0 }
.to, time { color: var(--soft); font-size: .8125rem } time { flex: none; font-variant-numeric: tabular-nums }
code { color: var(--accent); font: 600 1rem/1.5 ui-monospace, monospace; letter-spacing: .08em }
.none { padding: 2rem 1.25rem; color: var(--soft) }
iframe { width: 100%; height: 100%; min-height: 70vh; border: 0; background: var(--card) }
@media (max-width: 899px) { body { grid-template-columns: 100% } ol { border: 0; max-height: none } }`

const mailStyle = `
:root { color-scheme: light dark } body { margin: 0; padding: 1.25rem; font: 16px/1.5 system-ui, sans-serif }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 0 }`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const mailboxPolicy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "frame-src 'self'",
].join('; ')

/** Mail content is untrusted: no scripts, no external resources, no access to the mailbox. Links open in new tabs. */
const sandbox = 'allow-popups allow-popups-to-escape-sandbox'
const mailPolicy = `sandbox ${sandbox}; default-src 'none'; style-src 'unsafe-inline'; img-src data:`

/** Lists all mails, newest first, each with its code. */
export function renderMailbox(mails: readonly CaughtMail[]): string {
  const items = mails.toReversed().map((mail) => {
    const code = /\b\d{6}\b/.exec(mail.text)?.[0]
    return `<li><a href="/${mail.id}" target="mail">
<span><strong>${escapeHtml(mail.subject) || '(no subject)'}</strong>${code ? `<code>${code}</code>` : ''}</span>
<span><span class="to">${escapeHtml(mail.to)}</span><time datetime="${escapeHtml(mail.at)}">${escapeHtml(mail.at)}</time></span></a></li>`
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailbox</title><style>${style}</style></head>
<body><header><h1>Mailbox</h1><p>Every email the product sends on this machine. None is delivered.</p></header>
<ol data-newest="${mails.at(-1)?.id ?? 0}">${items.join('') || '<li class="none">No mail yet. New mail appears automatically.</li>'}</ol>
<iframe name="mail" title="The selected mail" sandbox="${sandbox}"></iframe>
<script>${script}</script></body></html>`
}

export function renderMail(mail: CaughtMail): { body: string; policy: string } {
  const head = '<meta charset="utf-8"><base target="_blank">'
  const body = mail.html
    ? `<!doctype html>${head}${mail.html}`
    : `<!doctype html>${head}<style>${mailStyle}</style><pre>${escapeHtml(mail.text)}</pre>`
  return { body, policy: mailPolicy }
}
