import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

interface ListErrorProps {
  /** What failed: "Failed to fetch users". */
  title: string
  error: Error
  isFetching: boolean
  onRetry: () => void
}

/** In the place of what could not be read. */
export const ListError = ({ title, error, isFetching, onRetry }: ListErrorProps) => (
  <Notice
    tone="error"
    title={title}
    action={
      <Button variant="secondary" onClick={onRetry} isPending={isFetching} pendingLabel={t('Trying...')}>
        {t('Try again')}
      </Button>
    }
  >
    {errorText(error, t('The server did not answer.'))} {t('Nothing was changed.')}
  </Notice>
)
