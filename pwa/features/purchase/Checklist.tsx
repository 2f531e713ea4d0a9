import clsx from 'clsx'
import { Check } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'

export interface Condition {
  name: string
  /** Undefined until known. */
  isMet: boolean | undefined
  /** The current state, or the missing condition. */
  detail?: ReactNode
  /** The action that fulfills it. */
  fix?: ReactNode
}

/** The conditions of a purchase, each with the action that fulfills it. */
export function Checklist({ conditions }: { conditions: readonly Condition[] }) {
  return (
    <section aria-label={t('Before you pay')}>
      <ul className="divide-y divide-ink-5 rounded-card border border-ink-5 bg-surface">
        {conditions.map(({ name, isMet, detail, fix }) => (
          <li key={name} className="flex min-h-14 items-center gap-x-3 px-4 py-1.5 desk:px-6">
            <StatusIcon isMet={isMet} />
            {/* A long button wraps below the text. */}
            <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
              <span className="min-w-0 flex-1 basis-40 py-1">
                <span className={clsx('block', isMet ? 'text-ink-10' : 'font-strong')}>
                  {name}
                  <span className="sr-only">, {t(isMet === undefined ? 'being checked' : isMet ? 'done' : 'missing')}</span>
                </span>
                {detail && <span className="block text-14 text-ink-9">{detail}</span>}
              </span>
              {isMet === false && fix}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function StatusIcon({ isMet }: { isMet: boolean | undefined }) {
  return (
    <span
      aria-hidden
      className={clsx(
        'grid size-6 shrink-0 place-items-center rounded-full border',
        isMet
          ? 'border-green-line bg-green-soft text-green'
          : isMet === false
            ? 'border-amber-line bg-amber-soft text-amber'
            : 'border-ink-5',
      )}
    >
      {isMet && <Check size={14} strokeWidth={2.5} />}
      {isMet === false && <span className="size-2 rounded-full bg-current" />}
    </span>
  )
}
