import { Download } from '#pwa/ui/icons.ts'
import { downloadStatement, downloadTaxReport } from '#shared/contract/statement.ts'
import { t } from '#pwa/i18n/t.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { buttonClass } from '#pwa/ui/buttonClass.ts'
import { WithdrawButton } from '../withdrawal/WithdrawButton.tsx'
import { DailySummarySwitch } from './DailySummarySwitch.tsx'

const taxLink = 'inline-flex min-h-11 min-w-11 items-center text-accent underline underline-offset-2 hover:text-accent-strong'

/** The actions for earnings: withdraw, download the statement, daily email. */
export function HistoryActions() {
  const isOffline = useIsOffline()
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-2 gap-y-1">
      <WithdrawButton className="grow desk:grow-0" />
      {/* A plain link: wallet browsers can download a file from a server, but not one that the page generates. */}
      {isOffline ? (
        <Button variant="secondary" needsServer className="grow desk:grow-0">
          {t('Download statement')}
        </Button>
      ) : (
        <a
          href={downloadStatement.path}
          download
          className={buttonClass({ variant: 'secondary', className: 'grow desk:grow-0' })}
        >
          <Download size={16} aria-hidden className="max-[360px]:hidden" />
          {t('Download statement')}
        </a>
      )}
      {!isOffline && (
        <p className="flex flex-wrap items-center gap-x-3 text-14 text-ink-10 max-desk:w-full">
          {t('For tax tools (CSV):')}
          <a href={downloadTaxReport.path} download className={taxLink}>
            {t('generic')}
          </a>
          <a href={`${downloadTaxReport.path}?format=koinly`} download className={taxLink} translate="no">
            Koinly
          </a>
        </p>
      )}
      <span className="desk:ml-auto">
        <DailySummarySwitch />
      </span>
    </div>
  )
}
