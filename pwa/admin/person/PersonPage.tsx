import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router-dom'
import { rowId } from '#shared/contract/rowId.ts'
import { ApiError } from '#shared/contract/client.ts'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { useSearch } from '#pwa/lib/useSearch.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { ChevronLeft } from '#pwa/ui/icons.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Tabs } from '#pwa/ui/Tabs.tsx'
import { AdminGuard } from '../access/AdminGuard.tsx'
import { FindAnything } from '../find/FindAnything.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { useOfficeEvents } from '../waiting/useWaiting.ts'
import { AuditPart } from './AuditPart.tsx'
import { MessagesPart } from './MessagesPart.tsx'
import { OverviewPart } from './OverviewPart.tsx'
import { type PersonPart, personParts } from './pathOfPerson.ts'
import { PersonFigures } from './PersonFigures.tsx'
import { PersonHeader } from './PersonHeader.tsx'
import { PurchasesPart } from './PurchasesPart.tsx'
import { personQuery } from './queries.ts'
import { XcrPart } from './XcrPart.tsx'

const labels: Record<PersonPart, Message> = {
  overview: msg('Security and notes'),
  purchases: msg('Purchases and nodes'),
  xcr: msg('Withdrawals and rewards'),
  messages: msg('Messages'),
  audit: msg('Audit'),
}

/** Everything about one account, and every action on it. Looking at it is recorded. */
export const PersonPage = () => (
  <AdminGuard>
    <PersonOfPath />
  </AdminGuard>
)

function PersonOfPath() {
  const { pathname } = useLocation()
  const id = rowId.safeParse(pathname.split('/')[3]).data
  // The key resets the pages of the parts.
  return id ? <Person key={id} id={id} /> : <UnknownPerson isMalformed />
}

function Person({ id }: { id: string }) {
  useOfficeEvents()
  const { data: person, error, isFetching, refetch } = useQuery(personQuery(id))
  const [search, setSearch] = useSearch()
  const part = personParts.find((one) => one === search.get('part')) ?? personParts[0]
  if (error instanceof ApiError && error.code === 'not_found') return <UnknownPerson />

  return (
    <Page title={person?.email ?? t('User')} heading={null}>
      <ToUsers />
      <FindAnything />
      {error && (
        <ListError
          title={t('Failed to fetch {what}', { what: t('the account') })}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!error && !person && <ListSkeleton what={t('the account')} />}
      {!error && person && (
        <>
          <PersonHeader person={person} isFetching={isFetching} onRefresh={() => void refetch()} />
          <PersonFigures person={person} />
          <Tabs<PersonPart>
            label={t('Account')}
            value={part}
            onValueChange={(next) => setSearch(new URLSearchParams({ part: next }))}
            tabs={personParts.map((value) => ({ value, label: translate(labels[value]), content: contentOf(value) }))}
          />
        </>
      )}
    </Page>
  )

  function contentOf(shown: PersonPart) {
    if (!person || shown !== part) return null
    if (shown === 'overview') return <OverviewPart person={person} />
    if (shown === 'purchases') return <PurchasesPart person={person} />
    if (shown === 'xcr') return <XcrPart person={person} />
    return shown === 'messages' ? <MessagesPart person={person} /> : <AuditPart person={person} />
  }
}

const ToUsers = () => (
  <Link
    to="/admin-panel?tab=users"
    className="mb-2 inline-flex min-h-11 items-center gap-1 text-14 text-ink-10 underline-offset-4 hover:text-ink-12 hover:underline"
  >
    <ChevronLeft size={16} aria-hidden /> {t('All users')}
  </Link>
)

/** For an address that names no account. */
const UnknownPerson = ({ isMalformed = false }: { isMalformed?: boolean }) => (
  <Page title={t('User not found')} isNarrow>
    <Notice
      tone="warning"
      title={isMalformed ? t('This address contains no user ID.') : t('No user has this ID.')}
      action={
        <ButtonLink to="/admin-panel?tab=users" variant="secondary">
          {t('All users')}
        </ButtonLink>
      }
    >
      {t('Search for the email address, a wallet or a transaction instead.')}
    </Notice>
    <div className="mt-6">
      <FindAnything />
    </div>
  </Page>
)
