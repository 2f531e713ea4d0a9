import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { TryAgain } from '#pwa/ui/TryAgain.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

interface ListErrorProps {
  /** Title of the error: "Failed to fetch users". */
  title: string
  error: Error
  isFetching: boolean
  onRetry: () => void
}

/** Replaces a list that could not be loaded. */
export const ListError = ({ title, error, isFetching, onRetry }: ListErrorProps) => (
  <Notice tone="error" title={title} action={<TryAgain isTrying={isFetching} onPress={onRetry} />}>
    {errorText(error, t('The server did not respond.'))}
    {/* The text of a lost connection says it already. */}
    {!(error instanceof TypeError) && ` ${t('Nothing was changed.')}`}
  </Notice>
)
