import { assignDeposit } from '#shared/contract/admin/deposits.ts'
import { t } from '#pwa/i18n/t.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { ForRole } from '../ForRole.tsx'

/** From a payment in review to the cases that wait, for those who may decide them. With an email, to those of that account. */
export const DecideLink = ({ email }: { email?: string | undefined }) => (
  <ForRole of={assignDeposit}>
    <Link
      to={`/admin-panel?${new URLSearchParams({ tab: 'purchases', status: 'waiting', ...(email && { email }) })}`}
      className="inline-flex items-center text-12 text-accent underline underline-offset-2 max-md:min-h-11"
    >
      {t('Decide')}
    </Link>
  </ForRole>
)
