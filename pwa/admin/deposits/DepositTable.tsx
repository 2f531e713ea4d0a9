import type { AdminDeposit } from '#shared/contract/admin/deposits.ts'
import { t } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { PersonLink } from '../person/PersonLink.tsx'
import { NotesCell } from '../purchases/NotesCell.tsx'
import { PaymentLink } from '../purchases/PaymentLink.tsx'
import { formatTimeIn, nameZone } from '../zone/officeZone.ts'
import { DecideLink } from './DecideLink.tsx'
import { reasonNames, stateNames, stateTones } from './depositWords.ts'

interface DepositTableProps {
  deposits: readonly AdminDeposit[]
  isBusy: boolean
  zone: string
}

const none = <span className="text-ink-9">–</span>

const columns = (zone: string): readonly Column<AdminDeposit>[] => [
  {
    name: t('User'),
    isWide: true,
    className: 'max-md:font-strong md:min-w-42 md:max-w-56',
    cell: ({ userId, userEmail, id }) => (
      <>
        {userId && userEmail ? <PersonLink id={userId} email={userEmail} /> : <span className="block">{t('unknown user')}</span>}
        <span className="text-12 font-normal text-ink-9">
          <ShortId id={id} what={t('payment ID')} isTimed />
        </span>
      </>
    ),
  },
  {
    name: t('Amount'),
    isRight: true,
    className: 'figures md:min-w-26',
    cell: ({ amount }) => <Amount value={amount} unit="USDT" size={14} />,
  },
  {
    name: t('State'),
    cell: ({ state, reason }) => (
      <span className="block max-md:text-right">
        <StatusWord tone={stateTones[state] ?? 'neutral'}>{wordOf(stateNames, state)}</StatusWord>
        {reason && <span className="block text-12 text-ink-10">{wordOf(reasonNames, reason)}</span>}
        {(state === 'review' || state === 'orphaned') && <DecideLink />}
      </span>
    ),
  },
  { name: t('Sender'), className: 'md:w-px', cell: ({ sender }) => <PaymentLink kind="address" value={sender} /> },
  {
    name: t('Tx hash'),
    className: 'md:w-px',
    cell: ({ transactionHash }) => <PaymentLink kind="tx" value={transactionHash} />,
  },
  {
    name: t('Purchase'),
    className: 'md:min-w-24',
    cell: ({ purchaseId }) => (purchaseId ? <ShortId id={purchaseId} /> : none),
  },
  {
    name: t('Refund'),
    className: 'figures md:min-w-26',
    cell: ({ refundedAmount, refundHash }) =>
      refundHash ? (
        <span className="block max-md:text-right">
          {refundedAmount !== null && <Amount value={refundedAmount} unit="USDT" size={14} className="block" />}
          <PaymentLink kind="tx" value={refundHash} />
        </span>
      ) : (
        none
      ),
  },
  {
    name: t('First seen ({zone})', { zone: nameZone(zone) }),
    className: 'figures text-ink-10 md:whitespace-nowrap',
    cell: ({ seenAt }) => <time dateTime={seenAt.toISOString()}>{formatTimeIn(seenAt, zone)}</time>,
  },
  {
    name: t('Admin notes'),
    className: 'md:max-w-48',
    cell: ({ notes }) => <NotesCell notes={notes} />,
  },
]

export const DepositTable = ({ deposits, isBusy, zone }: DepositTableProps) => (
  <DataTable label={t('Deposits')} columns={columns(zone)} rows={deposits} keyOf={({ id }) => id} isBusy={isBusy} />
)
