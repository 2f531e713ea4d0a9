import type { ReactNode } from 'react'
import { listAdministrators } from '#shared/contract/admin/administrators.ts'
import { sendAnnouncement } from '#shared/contract/admin/announcements.ts'
import { changeSystemSetting } from '#shared/contract/admin/office.ts'
import { t } from '#pwa/i18n/t.ts'
import { Notice } from '#pwa/ui/Notice.tsx'
import { useMayCall } from '../useMayCall.ts'
import { AdminAuthenticatorCard } from './AdminAuthenticatorCard.tsx'
import { AdminCredentialsCard } from './AdminCredentialsCard.tsx'
import { AdministratorsCard } from './AdministratorsCard.tsx'
import { AdminPasskeysCard } from './AdminPasskeysCard.tsx'
import { AnnouncementsCard } from './AnnouncementsCard.tsx'
import { DailyRewardCard } from './DailyRewardCard.tsx'
import { FeeRecipientCard } from './FeeRecipientCard.tsx'
import { IpAccessCard } from './IpAccessCard.tsx'
import { NodePriceCard } from './NodePriceCard.tsx'
import { PayoutCapsCard } from './PayoutCapsCard.tsx'
import { SalesControlCard } from './SalesControlCard.tsx'
import { SalesStartCard } from './SalesStartCard.tsx'
import { ServerNoticeCard } from './ServerNoticeCard.tsx'
import { WithdrawalFeeCard } from './WithdrawalFeeCard.tsx'

/**
 * The installation's settings, one card each, in the specification's order: sales first. Others follow. Who may change none sees them as
 * they are.
 */
export function SettingsTab() {
  const mayCall = useMayCall()
  const isOwner = mayCall(changeSystemSetting)
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {!isOwner && (
        <div className="lg:col-span-2">
          <Notice title={t('Only owners change the settings')}>
            {t('You see them as they are. Your name, password, authenticator and passkeys are yours to change.')}
          </Notice>
        </div>
      )}
      <Locked isLocked={!isOwner}>
        <SalesControlCard />
        <SalesStartCard />
        <NodePriceCard />
        <ServerNoticeCard />
        <WithdrawalFeeCard />
        <FeeRecipientCard />
        <IpAccessCard />
      </Locked>
      <AdminCredentialsCard />
      <Locked isLocked={!isOwner}>
        <div className="lg:col-span-2">
          <DailyRewardCard />
        </div>
      </Locked>
      <AdminAuthenticatorCard />
      <AdminPasskeysCard />
      <Locked isLocked={!isOwner}>
        <PayoutCapsCard />
      </Locked>
      {mayCall(listAdministrators) && (
        <div className="lg:col-span-2">
          <AdministratorsCard />
        </div>
      )}
      <Locked isLocked={!mayCall(sendAnnouncement)}>
        <div className="lg:col-span-2">
          <AnnouncementsCard />
        </div>
      </Locked>
    </div>
  )
}

/** Cards whose fields and buttons are disabled. */
const Locked = ({ isLocked, children }: { isLocked: boolean; children: ReactNode }) => (
  <fieldset disabled={isLocked} className="contents">
    {children}
  </fieldset>
)
