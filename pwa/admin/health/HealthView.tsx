import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { RotateCw } from '#pwa/ui/icons.ts'
import type { HealthCheck } from '#shared/contract/admin/office.ts'
import { T } from '#pwa/i18n/T.tsx'
import { plural, t, translateServerText } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { formatSecond } from '../zone/officeZone.ts'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { healthQuery } from '../queries.ts'

/** The health checks with findings and advice. Failing checks come first, then those where something waits for a decision. */
export function HealthView() {
  const { data, error, isFetching, refetch } = useQuery(healthQuery)
  const failing = data?.checks.filter(({ ok }) => !ok) ?? []
  const waiting = data?.checks.filter(({ ok, waits }) => ok && waits) ?? []
  const passing = data?.checks.filter(({ ok, waits }) => ok && !waits) ?? []
  return (
    <section aria-labelledby="health">
      <header className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div>
          <h2 id="health" className="text-20 font-strong">
            {t('Health')}
          </h2>
          <p className="mt-0.5 text-14 text-ink-10" aria-live="polite">
            {data && (
              <>
                {verdict({ failing: failing.length, waiting: waiting.length, all: data.checks.length })}{' '}
                <T
                  text="Checked at {time}."
                  time={
                    <time dateTime={data.at.toISOString()} className="figures">
                      {formatSecond(data.at)}
                    </time>
                  }
                />
              </>
            )}
          </p>
        </div>
        <Button
          variant="secondary"
          onClick={() => void refetch()}
          isPending={isFetching && data !== undefined}
          pendingLabel={t('Checking...')}
        >
          <RotateCw size={16} aria-hidden /> {t('Refresh')}
        </Button>
      </header>
      {error && (
        <div className="mb-4">
          <ListError
            title={t("Couldn't load the health checks")}
            error={error}
            isFetching={isFetching}
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {!data && !error && <ListSkeleton what={t('the health checks')} rows={10} />}
      {data && (
        <ul aria-label={t('Checks')} className="divide-y divide-ink-4 rounded-card border border-ink-5 bg-surface">
          {[...failing, ...waiting, ...passing].map((check) => (
            <CheckRow key={check.name} check={check} />
          ))}
        </ul>
      )}
    </section>
  )
}

const CheckRow = ({ check: { name, ok, waits, value, advice } }: { check: HealthCheck }) => (
  <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 px-4 py-3 text-14 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_8.5rem] md:items-start">
    <h3 className="font-strong text-ink-12 wrap-anywhere max-md:col-start-1">{translateServerText(name)}</h3>
    <p className="figures min-w-0 wrap-anywhere text-ink-10 max-md:col-span-2">{translateServerText(value)}</p>
    <p className="max-md:col-start-2 max-md:row-start-1 md:justify-self-end">
      <CheckState ok={ok} waits={waits} />
    </p>
    {advice && (
      <p
        className={clsx(
          'mt-1.5 rounded-small border px-3 py-2 wrap-anywhere text-ink-11 max-md:col-span-2 md:col-span-3',
          ok ? 'border-amber-line bg-amber-soft' : 'border-red-line bg-red-soft',
        )}
      >
        <strong className={clsx('font-strong', ok ? 'text-amber' : 'text-red')}>{t('What to do:')} </strong>
        {translateServerText(advice)}
      </p>
    )}
  </li>
)

const CheckState = ({ ok, waits = false }: { ok: boolean; waits: boolean | undefined }) => {
  if (!ok) return <StatusWord tone="refused">{t('Needs attention')}</StatusWord>
  return waits ? <StatusWord tone="waiting">{t('Waits for you')}</StatusWord> : <StatusWord tone="done">{t('OK')}</StatusWord>
}

function verdict({ failing, waiting, all }: { failing: number; waiting: number; all: number }): string {
  if (failing === 0 && waiting > 0) return t('No check failed. In {waiting} of {all}, something waits for you.', { waiting, all })
  if (failing === 0) return t('All {count} checks passed.', { count: all })
  return plural(failing, '{count} of {all} checks needs attention.', '{count} of {all} checks need attention.', { all })
}
