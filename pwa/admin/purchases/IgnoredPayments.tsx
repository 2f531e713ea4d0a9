import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { REVIEWS_PER_PAGE } from '#shared/contract/admin/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { formatTime } from '../zone/officeZone.ts'
import { ListError } from '../lists/ListError.tsx'
import { Pager } from '../lists/Pager.tsx'
import { PaymentLink } from './PaymentLink.tsx'
import { formatUsdt } from './purchaseWords.ts'
import { ignoredDepositsQuery } from './queries.ts'

/** Searches payments that were ignored, automatically or by an administrator, for when their sender asks about them. */
export function IgnoredPayments({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [place, setPlace] = useState({ search: '', page: 1 })
  const { data, error, isFetching, refetch } = useQuery(ignoredDepositsQuery(place))

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    setPlace({ search: typed.trim(), page: 1 })
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Ignored payments')}
      description={t('Small payments ignored automatically, and payments ignored by an administrator. Newest first.')}
      actions={
        <Button variant="secondary" onClick={onClose}>
          {t('Close')}
        </Button>
      }
    >
      <form role="search" noValidate onSubmit={handleSubmit} className="mb-4 flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label={t('Sender, transaction or email')}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={254}
          />
        </div>
        <Button type="submit" variant="secondary" isPending={isFetching && data !== undefined}>
          {t('Search')}
        </Button>
      </form>
      {error && (
        <ListError
          title={t('Failed to fetch ignored payments')}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!error && !data && <Skeleton className="h-16" />}
      {!error && data?.deposits.length === 0 && <p className="text-14 text-ink-10">{t('No ignored payments found.')}</p>}
      {!error && data && data.deposits.length > 0 && (
        <ul aria-label={t('Ignored payments')} className="divide-y divide-ink-4">
          {data.deposits.map(({ id, amount, sender, transactionHash, probableUserEmail, notes, seenAt }) => (
            <li key={id} className="py-2.5 text-14">
              <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                <strong className="figures font-strong [overflow-wrap:anywhere]">{formatUsdt(amount)}</strong>
                <time dateTime={seenAt.toISOString()} className="figures text-12 text-ink-9">
                  {formatTime(seenAt)}
                </time>
              </p>
              <p className="flex flex-wrap items-center gap-x-3 text-12 text-ink-10">
                <PaymentLink kind="address" value={sender} />
                <PaymentLink kind="tx" value={transactionHash} />
                <span className="[overflow-wrap:anywhere]">{probableUserEmail ?? t('unknown user')}</span>
              </p>
              {notes && <p className="text-12 [overflow-wrap:anywhere] text-ink-10">{notes}</p>}
            </li>
          ))}
        </ul>
      )}
      {!error && data && (
        <Pager
          what={t('payments')}
          page={place.page}
          pageSize={REVIEWS_PER_PAGE}
          paging={data}
          onPage={(page) => setPlace({ ...place, page })}
        />
      )}
    </Dialog>
  )
}
