import { ExternalLink } from '#pwa/ui/icons.ts'
import { useState } from 'react'
import { shorten } from '#shared/address.ts'
import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { t } from '#pwa/i18n/t.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { type Column, DataTable } from '../lists/DataTable.tsx'
import { PersonLink } from '../person/PersonLink.tsx'
import { Bilingual, bilingualText } from './Bilingual.tsx'
import { DecisionButtons } from './DecisionButtons.tsx'
import { DecisionDialog } from './DecisionDialog.tsx'
import type { Decision } from './decisions.ts'
import { formatKoreanTime } from './formatKoreanTime.ts'
import { WithdrawalState } from './WithdrawalState.tsx'

interface WithdrawalTableProps {
  withdrawals: readonly AdminWithdrawal[]
  isBusy: boolean
  zone: string
  explorerUrl: string | undefined
}

export function WithdrawalTable({ withdrawals, isBusy, zone, explorerUrl }: WithdrawalTableProps) {
  const [open, setOpen] = useState<{ decision: Decision; withdrawal: AdminWithdrawal } | null>(null)
  const columns: readonly Column<AdminWithdrawal>[] = [
    {
      ...bilingual({ ko: '사용자 이메일', en: 'User email' }),
      isWide: true,
      className: 'md:max-w-52 lg:w-full',
      cell: ({ userId, userEmail, id }) => (
        <>
          <PersonLink id={userId} email={userEmail} />
          <span className="text-12 text-ink-9">
            <ShortId id={id} />
          </span>
        </>
      ),
    },
    {
      ...bilingual({ ko: '수량 (XCR)', en: 'Amount' }),
      isRight: true,
      cell: ({ amount }) => <Amount value={amount} size={14} maxDecimals={2} className="whitespace-nowrap" />,
    },
    {
      ...bilingual({ ko: '지갑 주소', en: 'Wallet' }),
      className: 'whitespace-nowrap',
      cell: ({ toAddress }) => (
        <span translate="no" className="font-mono text-ink-10 md:text-12" title={toAddress}>
          {shorten(toAddress)}
        </span>
      ),
    },
    { ...bilingual({ ko: '상태', en: 'Status' }), cell: (withdrawal) => <WithdrawalState withdrawal={withdrawal} /> },
    {
      ...bilingual(
        zone === 'Asia/Seoul'
          ? { ko: '요청 일시 (서울)', en: 'Requested (Seoul)' }
          : { ko: `요청 일시 (${zone})`, en: `Requested (${zone})` },
      ),
      className: 'md:whitespace-nowrap',
      cell: ({ createdAt }) => (
        <time dateTime={createdAt.toISOString()} lang="ko" className="figures text-ink-10">
          {formatKoreanTime(createdAt, zone)}
        </time>
      ),
    },
    {
      ...bilingual({ ko: '트랜잭션', en: 'Tx' }),
      cell: ({ transactionHash }) => <TransactionLink hash={transactionHash} explorerUrl={explorerUrl} />,
    },
    {
      ...bilingual({ ko: '처리', en: 'Actions' }),
      isWide: true,
      isRight: true,
      cell: (withdrawal) => <DecisionButtons withdrawal={withdrawal} onPress={(decision) => setOpen({ decision, withdrawal })} />,
    },
  ]
  return (
    <>
      <DataTable label={t('Withdrawals')} columns={columns} rows={withdrawals} keyOf={({ id }) => id} isBusy={isBusy} />
      {open && <DecisionDialog key={open.withdrawal.id + open.decision} {...open} onClose={() => setOpen(null)} />}
    </>
  )
}

const bilingual = (label: { ko: string; en: string }) => ({ name: bilingualText(label), head: <Bilingual {...label} /> })

function TransactionLink({ hash, explorerUrl }: { hash: string | null; explorerUrl: string | undefined }) {
  if (!hash) return <span className="text-ink-9">–</span>
  return (
    <a
      href={explorerUrl && `${explorerUrl}/tx/${hash}`}
      target="_blank"
      rel="noreferrer"
      title={hash}
      translate="no"
      className="inline-flex items-center gap-1.5 font-mono whitespace-nowrap md:text-12 text-accent underline-offset-2 hover:underline max-md:min-h-11"
    >
      {hash.slice(0, 8)}
      <ExternalLink size={14} aria-label={t('in the block explorer')} className="text-ink-9" />
    </a>
  )
}
