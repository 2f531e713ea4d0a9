import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listPersonHolds, listPersonRewards, listPersonWithdrawals, type Person } from '#shared/contract/admin/person.ts'
import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { ShortId } from '#pwa/ui/ShortId.tsx'
import { auditColumns } from '../audit/AuditView.tsx'
import type { Column } from '../lists/DataTable.tsx'
import { DecisionButtons } from '../withdrawals/DecisionButtons.tsx'
import { DecisionDialog } from '../withdrawals/DecisionDialog.tsx'
import type { Decision } from '../withdrawals/decisions.ts'
import { WithdrawalState } from '../withdrawals/WithdrawalState.tsx'
import { zoneOf } from '../zone/officeZone.ts'
import { Nothing, Time, Wallet } from './cells.tsx'
import { PersonTable } from './PersonTable.tsx'

/** What the account withdrew and earned. */
export function XcrPart({ person }: { person: Person }) {
  const { data: config } = useQuery(configQuery)
  const [open, setOpen] = useState<{ decision: Decision; withdrawal: AdminWithdrawal } | null>(null)
  return (
    <>
      <PersonTable
        personId={person.id}
        endpoint={listPersonWithdrawals}
        title={t('Withdrawals')}
        what={t('withdrawals')}
        ifEmpty={t('No withdrawals yet.')}
        columns={withdrawalColumns({
          explorerUrl: config?.rewardChain.explorerUrl,
          decide: (decision, withdrawal) => setOpen({ decision, withdrawal }),
        })}
        keyOf={({ id }) => id}
      />
      <PersonTable
        personId={person.id}
        endpoint={listPersonHolds}
        title={t('Holds')}
        what={t('holds')}
        ifEmpty={t('No withdrawal was ever on hold.')}
        columns={auditColumns(zoneOf())}
        keyOf={({ id }) => id}
      >
        <p className="mb-3 text-14 text-ink-10">
          {t(
            'What put withdrawals on hold, for 24 hours from that time, and what ended a hold: the clock, its owner or an administrator.',
          )}
        </p>
      </PersonTable>
      <PersonTable
        personId={person.id}
        endpoint={listPersonRewards}
        title={t('Rewards')}
        what={t('rewards')}
        ifEmpty={t('No rewards yet.')}
        columns={[
          { name: t('ID'), className: 'md:min-w-24', cell: ({ id }) => <ShortId id={id} /> },
          { name: t('Paid at'), cell: ({ createdAt }) => <Time at={createdAt} /> },
          { name: t('Nodes'), isRight: true, className: 'figures', cell: ({ activeNodes }) => activeNodes },
          { name: t('XCR per node'), isRight: true, cell: ({ xcrPerNode }) => <Amount value={xcrPerNode} size={14} /> },
          { name: t('Amount'), isRight: true, cell: ({ amount }) => <Amount value={amount} unit="XCR" size={14} /> },
        ]}
        keyOf={({ id }) => id}
      />
      {open && <DecisionDialog key={open.withdrawal.id + open.decision} {...open} onClose={() => setOpen(null)} />}
    </>
  )
}

interface WithdrawalColumns {
  explorerUrl: string | undefined
  decide: (decision: Decision, withdrawal: AdminWithdrawal) => void
}

const withdrawalColumns = ({ explorerUrl, decide }: WithdrawalColumns): readonly Column<AdminWithdrawal>[] => [
  { name: t('ID'), className: 'md:min-w-24', cell: ({ id }) => <ShortId id={id} /> },
  { name: t('Amount'), isRight: true, cell: ({ amount }) => <Amount value={amount} unit="XCR" size={14} /> },
  { name: t('Fee'), isRight: true, cell: ({ feeAmount }) => <Amount value={feeAmount} unit="XCR" size={14} /> },
  { name: t('Wallet'), cell: ({ toAddress }) => <Wallet address={toAddress} /> },
  { name: t('Status'), cell: (withdrawal) => <WithdrawalState withdrawal={withdrawal} /> },
  { name: t('Requested'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: t('Tx hash'),
    cell: ({ transactionHash }) =>
      transactionHash ? (
        <a
          href={explorerUrl && `${explorerUrl}/tx/${transactionHash}`}
          target="_blank"
          rel="noreferrer"
          title={transactionHash}
          translate="no"
          className="exact inline-flex items-center font-mono text-12 whitespace-nowrap text-accent underline-offset-2 hover:underline max-md:min-h-11"
        >
          {transactionHash.slice(0, 8)}
        </a>
      ) : (
        <Nothing />
      ),
  },
  {
    name: t('Actions'),
    isWide: true,
    isRight: true,
    cell: (withdrawal) => <DecisionButtons withdrawal={withdrawal} onPress={(decision) => decide(decision, withdrawal)} />,
  },
]
