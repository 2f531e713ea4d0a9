import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import type { Finding, Outcome } from '#pwa/register/Report.ts'
import type { StoredReport } from '#pwa/register/storedReport.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { ChevronDown } from '#pwa/ui/icons.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { tickGroups, tickTexts } from './tickTexts.ts'

const words: Record<Outcome, { tone: Tone; word: Message }> = {
  ok: { tone: 'done', word: msg('Verified') },
  nothing: { tone: 'neutral', word: msg('Nothing yet') },
  unknown: { tone: 'waiting', word: msg('Could not look') },
  failed: { tone: 'refused', word: msg('Does not match') },
}

/** The ticks of a verification. Each opens to what was checked. */
export function TickList({ ticks }: { ticks: StoredReport['ticks'] }) {
  const findings = new Map(ticks)
  return tickGroups.map(({ title, ticks: names }) => {
    const known = names.flatMap((name) => {
      const finding = findings.get(name)
      return finding ? { name, finding } : []
    })
    if (known.length === 0) return null
    return (
      <Card key={title}>
        <CardHeader title={translate(title)} />
        <div className="-mb-3 divide-y divide-ink-5 border-t border-ink-5">
          {known.map(({ name, finding }) => (
            <Tick key={name} {...tickTexts[name]} finding={finding} />
          ))}
        </div>
      </Card>
    )
  })
}

function Tick({ title, about, finding }: { title: Message; about: Message; finding: Finding }) {
  const { tone, word } = words[finding.outcome]
  return (
    <details className="group" open={finding.outcome === 'failed'}>
      <summary className="flex min-h-12 cursor-pointer list-none items-center gap-3 py-2 [&::-webkit-details-marker]:hidden">
        <span className="min-w-0 flex-1 text-ink-12">{translate(title)}</span>
        <StatusWord tone={tone}>{translate(word)}</StatusWord>
        <ChevronDown
          size={16}
          aria-hidden
          className="shrink-0 text-ink-9 transition-transform duration-200 group-open:rotate-180"
        />
      </summary>
      <div className="pb-4 text-14 text-ink-10">
        <p className="text-pretty">{translate(about)}</p>
        <p lang="en" translate="no" className="mt-2 [overflow-wrap:anywhere] text-ink-9">
          {finding.detail}
        </p>
        {finding.more > 0 && <p className="mt-1">{t('And {count} more.', { count: finding.more })}</p>}
        {finding.evidence && (
          <pre translate="no" className="exact mt-2 rounded-small bg-ink-2 p-3 text-12 whitespace-pre-wrap text-ink-11">
            {finding.evidence}
          </pre>
        )}
      </div>
    </details>
  )
}
