import { AdminAuthenticatorCard } from './AdminAuthenticatorCard.tsx'
import { AdminCredentialsCard } from './AdminCredentialsCard.tsx'
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

/** The installation's settings, one card each, in the specification's order: sales first. Others follow. */
export const SettingsTab = () => (
  <div className="grid gap-4 lg:grid-cols-2">
    <SalesControlCard />
    <SalesStartCard />
    <NodePriceCard />
    <ServerNoticeCard />
    <WithdrawalFeeCard />
    <FeeRecipientCard />
    <IpAccessCard />
    <AdminCredentialsCard />
    <div className="lg:col-span-2">
      <DailyRewardCard />
    </div>
    <AdminAuthenticatorCard />
    <AdminPasskeysCard />
    <PayoutCapsCard />
    <div className="lg:col-span-2">
      <AnnouncementsCard />
    </div>
  </div>
)
