import { useState } from 'react'
import {
  listPersonDeposits,
  listPersonNodes,
  listPersonPurchases,
  type Person,
  type PersonDeposit,
  type PersonPurchase,
} from '#shared/contract/admin/person.ts'
import { cancelPurchase } from '#shared/contract/admin/purchases.ts'
import { type Message, msg, t } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Badge, type Tone } from '#pwa/ui/Badge.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { DecideLink } from '../deposits/DecideLink.tsx'
import { ForRole } from '../ForRole.tsx'
import { formatTime } from '../zone/officeZone.ts'
import type { Column } from '../lists/DataTable.tsx'
import { RowButton } from '../lists/RowButton.tsx'
import { CancelPurchaseDialog } from '../purchases/CancelPurchaseDialog.tsx'
import { ConfirmPurchaseDialog } from '../purchases/ConfirmPurchaseDialog.tsx'
import { DecidePurchaseDialog } from '../purchases/DecidePurchaseDialog.tsx'
import { NodeNumbers } from '../purchases/NodeNumbers.tsx'
import { NotesCell } from '../purchases/NotesCell.tsx'
import { PaymentLink } from '../purchases/PaymentLink.tsx'
import { notesColumn, PendingActions, quantityColumn } from '../purchases/purchaseColumns.tsx'
import { PurchaseStatuses } from '../purchases/PurchaseStatuses.tsx'
import { PurchaseTransaction } from '../purchases/PurchaseTransaction.tsx'
import { namePurchase, reasonWords } from '../purchases/purchaseWords.ts'
import { Nothing, Time, Wallet } from './cells.tsx'
import { PersonTable } from './PersonTable.tsx'

type Question = { about: 'confirm' | 'cancel' | 'approve' | 'reject'; purchase: PersonPurchase }

/** What the account bought, paid and owns. */
export function PurchasesPart({ person }: { person: Person }) {
  const [question, setQuestion] = useState<Question | null>(null)
  const close = () => setQuestion(null)
  const list = { personId: person.id }
  return (
    <>
      <PersonTable
        {...list}
        endpoint={listPersonPurchases}
        title={t('Purchases')}
        what={t('purchases')}
        ifEmpty={t('No purchases yet.')}
        columns={purchaseColumns((about, purchase) => setQuestion({ about, purchase }))}
        keyOf={({ id }) => id}
      />
      <PersonTable
        {...list}
        endpoint={listPersonDeposits}
        title={t('Payments')}
        what={t('payments')}
        ifEmpty={t('No payments from this account.')}
        columns={depositColumns(person.email)}
        keyOf={({ id }) => id}
      />
      <PersonTable
        {...list}
        endpoint={listPersonNodes}
        title={t('Nodes')}
        what={t('nodes')}
        ifEmpty={t('No nodes yet.')}
        columns={[
          { name: t('Number'), isRight: true, cell: ({ number }) => <span className="figures font-strong">{number}</span> },
          {
            name: t('Kind'),
            cell: ({ kind }) => (kind === 'bonus' ? <Badge tone="accent">{t('BONUS')}</Badge> : <Badge>{t('PAID')}</Badge>),
          },
          { name: t('Purchase'), cell: ({ purchaseId }) => <ShortId id={purchaseId} /> },
          { name: t('Allocated'), cell: ({ allocatedAt }) => <Time at={allocatedAt} /> },
          { name: t('Earns from'), cell: ({ activeFrom }) => <Time at={activeFrom} /> },
          {
            name: t('Status'),
            cell: ({ frozenAt }) =>
              frozenAt ? (
                <StatusWord tone="waiting">{t('Frozen since {time}', { time: formatTime(frozenAt) })}</StatusWord>
              ) : (
                <Nothing />
              ),
          },
        ]}
        keyOf={({ number }) => String(number)}
      />
      {question?.about === 'confirm' && <ConfirmPurchaseDialog purchase={question.purchase} onClose={close} />}
      {question?.about === 'cancel' && <CancelPurchaseDialog purchase={question.purchase} onClose={close} />}
      {(question?.about === 'approve' || question?.about === 'reject') && (
        <DecidePurchaseDialog purchase={question.purchase} verdict={question.about} onClose={close} />
      )}
    </>
  )
}

const purchaseColumns = (
  ask: (about: Question['about'], purchase: PersonPurchase) => void,
): readonly Column<PersonPurchase>[] => [
  { name: t('ID'), className: 'md:min-w-24', cell: ({ id }) => <ShortId id={id} /> },
  quantityColumn(),
  {
    name: t('Amount'),
    isRight: true,
    cell: ({ purchaseAmountUsdt, unitPriceUsdt }) =>
      purchaseAmountUsdt === 0n ? (
        <Badge tone="accent">{t('BONUS')}</Badge>
      ) : (
        <span className="whitespace-nowrap">
          <Amount value={purchaseAmountUsdt} unit="USDT" size={14} />
          <span className="figures block text-12 text-ink-9">
            <Amount value={unitPriceUsdt} size={14} className="text-12!" /> {t('each')}
          </span>
        </span>
      ),
  },
  {
    name: t('Node numbers'),
    className: 'md:min-w-28 md:max-w-40',
    cell: ({ nodeNumbers }) => <NodeNumbers numbers={nodeNumbers} />,
  },
  {
    name: t('Tx hash'),
    cell: (purchase) => (
      <span className="block">
        <PurchaseTransaction purchase={purchase} />
        {purchase.wallet && (
          <span className="block">
            <Wallet address={purchase.wallet} />
          </span>
        )}
      </span>
    ),
  },
  { name: t('Status'), cell: (purchase) => <PurchaseStatuses purchase={purchase} /> },
  {
    name: t('Requested'),
    className: 'md:min-w-44',
    cell: ({ createdAt, confirmedAt }) => (
      <span className="block">
        <time dateTime={createdAt.toISOString()} className="figures text-ink-10">
          {formatTime(createdAt)}
        </time>
        {confirmedAt && (
          <span className="figures block text-12 text-ink-9">{t('confirmed {time}', { time: formatTime(confirmedAt) })}</span>
        )}
      </span>
    ),
  },
  notesColumn(),
  {
    name: t('Actions'),
    isWide: true,
    cell: (purchase) => (
      <ForRole of={cancelPurchase}>
        <PurchaseActions purchase={purchase} ask={(about) => ask(about, purchase)} />
      </ForRole>
    ),
  },
]

function PurchaseActions({ purchase, ask }: { purchase: PersonPurchase; ask: (about: Question['about']) => void }) {
  if (purchase.paymentStatus === 'pending')
    return <PendingActions purchase={purchase} onConfirm={() => ask('confirm')} onCancel={() => ask('cancel')} />
  if (purchase.paymentStatus !== 'manual_review') return null
  const name = namePurchase(purchase)
  return (
    <span className="flex flex-wrap gap-1.5 md:flex-col">
      <RowButton label={t('Allocate the {purchase}', { purchase: name })} onClick={() => ask('approve')}>
        {t('Allocate')}
      </RowButton>
      <RowButton label={t('Reject the {purchase}', { purchase: name })} onClick={() => ask('reject')}>
        {t('Reject')}
      </RowButton>
    </span>
  )
}

const depositStates: Record<PersonDeposit['state'], { tone: Tone; word: Message }> = {
  seen: { tone: 'waiting', word: msg('Arriving') },
  matched: { tone: 'done', word: msg('Matched') },
  assigned: { tone: 'done', word: msg('Assigned') },
  review: { tone: 'waiting', word: msg('In review') },
  orphaned: { tone: 'refused', word: msg('Orphaned') },
  refunded: { tone: 'neutral', word: msg('Refunded') },
  ignored: { tone: 'neutral', word: msg('Ignored') },
}
const depositWords = Object.fromEntries(Object.entries(depositStates).map(([state, { word }]) => [state, word]))

const depositColumns = (email: string): readonly Column<PersonDeposit>[] => [
  { name: t('ID'), className: 'md:min-w-24', cell: ({ id }) => <ShortId id={id} what={t('payment ID')} isTimed /> },
  { name: t('Amount'), isRight: true, cell: ({ amount }) => <Amount value={amount} unit="USDT" size={14} /> },
  { name: t('Sender'), cell: ({ sender }) => <Wallet address={sender} /> },
  { name: t('Tx hash'), cell: ({ transactionHash }) => <PaymentLink kind="tx" value={transactionHash} /> },
  {
    name: t('Status'),
    cell: ({ state, reviewReason }) => (
      <span className="block max-md:text-right">
        <StatusWord tone={depositStates[state]?.tone ?? 'neutral'}>{wordOf(depositWords, state)}</StatusWord>
        {(state === 'review' || state === 'orphaned') && (
          <span className="block max-w-56 text-12 text-ink-10 max-md:ml-auto">
            {wordOf(reasonWords, state === 'orphaned' ? 'orphaned' : (reviewReason ?? 'unmatched'))} <DecideLink email={email} />
          </span>
        )}
      </span>
    ),
  },
  { name: t('Purchase'), cell: ({ purchaseId }) => (purchaseId ? <ShortId id={purchaseId} /> : <Nothing />) },
  {
    name: t('Refund'),
    cell: ({ refund }) =>
      refund ? (
        <span className="block whitespace-nowrap">
          <PaymentLink kind="tx" value={refund.transactionHash} />
          {refund.amount !== null && (
            <span className="block">
              <Amount value={refund.amount} unit="USDT" size={14} />
            </span>
          )}
        </span>
      ) : (
        <Nothing />
      ),
  },
  { name: t('Seen'), cell: ({ seenAt }) => <Time at={seenAt} /> },
  { name: t('Notes'), className: 'md:max-w-40', cell: ({ notes }) => <NotesCell notes={notes} /> },
]
