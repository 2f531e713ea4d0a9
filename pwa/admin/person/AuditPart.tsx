import { listPersonAudit, type Person } from '#shared/contract/admin/person.ts'
import { t } from '#pwa/i18n/t.ts'
import { zoneOf } from '../zone/officeZone.ts'
import { auditColumns } from '../audit/AuditView.tsx'
import { PersonTable } from './PersonTable.tsx'

/** Who did what with the account, its owner included. */
export const AuditPart = ({ person }: { person: Person }) => (
  <PersonTable
    personId={person.id}
    endpoint={listPersonAudit}
    title={t('Audit')}
    what={t('entries')}
    ifEmpty={t('No activity yet.')}
    columns={auditColumns(zoneOf())}
    keyOf={({ id }) => id}
  >
    <p className="mb-3 text-14 text-ink-10">
      {t('What was done with this account, its purchases, payments and withdrawals, and what its owner did.')}
    </p>
  </PersonTable>
)
