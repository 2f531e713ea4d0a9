import { Download } from '#pwa/ui/icons.ts'
import { downloadStatement } from '#shared/contract/statement.ts'
import { t } from '#pwa/i18n/t.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { buttonClass } from '#pwa/ui/buttonClass.ts'
import { WithdrawButton } from '../withdrawal/WithdrawButton.tsx'
import { DailySummarySwitch } from './DailySummarySwitch.tsx'

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
      <span className="desk:ml-auto">
        <DailySummarySwitch />
      </span>
    </div>
  )
}
