import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { TryAgain } from './TryAgain.tsx'
import { lazyPart } from './lazyPart.tsx'

const Notice = lazyPart(async () => (await import('./Notice.tsx')).Notice)

/**
 * Shown in place of personal content if the account could not be loaded; otherwise nothing. Offline the notice on top explains
 * it, and a user who has logged out is known to be a visitor.
 */
export function AccountError() {
  const { data, isError, isFetching, refetch } = useQuery(authUserQuery)
  const isOffline = useIsOffline()
  if (!isError || isOffline || data === null) return null
  return (
    <Suspense fallback={null}>
      <Notice
        tone="error"
        title={t("Couldn't load your account")}
        action={<TryAgain isTrying={isFetching} onPress={() => void refetch()} />}
      >
        {t('The server did not respond. Your nodes, your balance and payments already sent are safe.')}
      </Notice>
    </Suspense>
  )
}
