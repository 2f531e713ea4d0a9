import type { ReactNode } from 'react'
import { listPersonWallets, type Person } from '#shared/contract/admin/person.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Link } from '#pwa/ui/Link.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { formatXcr } from '../formatXcr.ts'
import { formatTime } from '../zone/officeZone.ts'
import { Time, Wallet } from './cells.tsx'
import { NotesCard } from './NotesCard.tsx'
import { pathOfPerson } from './pathOfPerson.ts'
import { PersonTable } from './PersonTable.tsx'
import { SessionTable } from './SessionTable.tsx'

/** How the account is secured, what holds it, its wallets, and what administrators wrote down. */
export const OverviewPart = ({ person }: { person: Person }) => (
  <>
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <SecurityCard person={person} />
      <NotesCard personId={person.id} />
    </div>
    <SessionTable person={person} />
    <PersonTable
      personId={person.id}
      endpoint={listPersonWallets}
      title={t('Wallets over time')}
      what={t('wallets')}
      ifEmpty={t('No wallet was ever registered.')}
      keyOf={({ id }) => id}
      columns={[
        { name: t('Wallet address'), cell: ({ address }) => <Wallet address={address} /> },
        { name: t('Registered'), cell: ({ registeredAt }) => <Time at={registeredAt} /> },
        {
          name: t('Proven by a signature'),
          cell: ({ provenAt }) => (provenAt ? <Time at={provenAt} /> : <span className="text-ink-9">{t('unproven')}</span>),
        },
        {
          name: t('Removed'),
          cell: ({ removedAt }) =>
            removedAt ? <Time at={removedAt} /> : <StatusWord tone="done">{t('Present wallet')}</StatusWord>,
        },
      ]}
    />
  </>
)

function SecurityCard({ person }: { person: Person }) {
  const { authenticator, passkeys, frozen, frozenAt, heldUntil, reservationsPausedUntil, dailyLimit, knownDevices } = person
  const { enabledAt, lockedUntil, recoveryCodesLeft } = authenticator
  const showLimit = (amount: bigint | null) => (amount === null ? t('none') : formatXcr(amount))
  return (
    <Card className="desk:p-4!">
      <CardHeader title={t('Security')} />
      <dl className="divide-y divide-ink-5 border-y border-ink-5 text-14">
        <Fact name={t('Authenticator')}>
          {enabledAt ? (
            <>
              <StatusWord tone="done">{t('Enabled')}</StatusWord>
              <Small>{t('since {time}', { time: formatTime(enabledAt) })}</Small>
              <Small>{plural(recoveryCodesLeft, '{count} recovery code left', '{count} recovery codes left')}</Small>
            </>
          ) : (
            <StatusWord tone="neutral">{t('Disabled')}</StatusWord>
          )}
          {lockedUntil && (
            <Small isWaiting>{t('Locked until {time} after wrong codes', { time: formatTime(lockedUntil) })}</Small>
          )}
        </Fact>
        <Fact name={t('Passkeys')}>
          {passkeys.length === 0 && <span className="text-ink-9">{t('none')}</span>}
          {passkeys.map(({ id, name, lastUsedAt, createdAt, isDisabled }) => (
            <span key={id} className="block">
              <span className="wrap-anywhere">{name}</span>
              {isDisabled && <Small isWaiting>{t('Refused, because it was copied')}</Small>}
              <Small>
                {lastUsedAt
                  ? t('last used {time}', { time: formatTime(lastUsedAt) })
                  : t('added {time}, never used', { time: formatTime(createdAt) })}
              </Small>
            </span>
          ))}
        </Fact>
        <Fact name={t('Freeze')}>
          {frozen ? (
            <>
              <StatusWord tone="waiting">{t('Frozen')}</StatusWord>
              {frozenAt && <Small>{t('since {time}', { time: formatTime(frozenAt) })}</Small>}
              <Small>
                {frozen.thawsAt
                  ? t('thaws {time}', { time: formatTime(frozen.thawsAt) })
                  : t('until its owner or an administrator thaws it')}
              </Small>
            </>
          ) : (
            <span className="text-ink-9">
              {frozenAt ? t('Not frozen; last frozen {time}', { time: formatTime(frozenAt) }) : t('Never frozen')}
            </span>
          )}
        </Fact>
        <Fact name={t('Hold')}>
          {heldUntil ? (
            <>
              <StatusWord tone="waiting">{t('Withdrawals on hold')}</StatusWord>
              <Small>{t('until {time}', { time: formatTime(heldUntil) })}</Small>
              <Link
                to={pathOfPerson(person.id, 'xcr')}
                className="inline-flex items-center text-accent underline underline-offset-2 max-md:min-h-11"
              >
                {t('See why')}
              </Link>
            </>
          ) : (
            <span className="text-ink-9">{t('none')}</span>
          )}
        </Fact>
        <Fact name={t('Daily limit')}>
          {showLimit(dailyLimit.limit)}
          {dailyLimit.next && (
            <Small>
              {t('{limit} from {time}', { limit: showLimit(dailyLimit.next.limit), time: formatTime(dailyLimit.next.from) })}
            </Small>
          )}
        </Fact>
        {reservationsPausedUntil && (
          <Fact name={t('Reservations')}>
            <StatusWord tone="waiting">{t('Paused')}</StatusWord>
            <Small>{t('until {time}', { time: formatTime(reservationsPausedUntil) })}</Small>
          </Fact>
        )}
        <Fact name={t('Known devices')}>
          <span className="figures">{knownDevices}</span>
          {person.pushDevices > 0 && (
            <Small>
              {plural(person.pushDevices, '{count} device receives notifications', '{count} devices receive notifications')}
            </Small>
          )}
        </Fact>
      </dl>
      <OperatorCommand email={person.email} />
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid grid-cols-[minmax(7rem,1fr)_2fr] gap-4 py-2.5">
    <dt className="text-ink-10">{name}</dt>
    <dd className="min-w-0 text-right">{children}</dd>
  </div>
)

const Small = ({ isWaiting = false, children }: { isWaiting?: boolean; children: ReactNode }) => (
  <span className={`figures block text-12 ${isWaiting ? 'text-amber' : 'text-ink-9'}`}>{children}</span>
)

/** What only an operator can do, on the server. */
function OperatorCommand({ email }: { email: string }) {
  const command = `npm run admin -- reset-passkeys ${email}`
  return (
    <details className="mt-3">
      <summary className="min-h-11 cursor-pointer py-2.5 text-14 text-ink-10">{t('Only on the server')}</summary>
      <div className="flex items-center justify-between gap-2 text-12">
        <span className="min-w-0">
          <span className="block text-ink-10">{t('Remove all passkeys')}</span>
          <code translate="no" className="block font-mono wrap-anywhere text-ink-11">
            {command}
          </code>
        </span>
        <CopyButton value={command} what={t('command')} />
      </div>
    </details>
  )
}
