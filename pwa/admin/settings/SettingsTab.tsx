import type { ComponentType, ReactNode } from 'react'
import { listAdministrators } from '#shared/contract/admin/administrators.ts'
import { sendAnnouncement } from '#shared/contract/admin/announcements.ts'
import { changeSystemSetting } from '#shared/contract/admin/office.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { type Message, msg, t } from '#pwa/i18n/t.ts'
import { useCanUsePasskeys } from '#pwa/lib/passkeys.ts'
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
import { idOfSection, SettingsNav } from './SettingsNav.tsx'
import { WithdrawalFeeCard } from './WithdrawalFeeCard.tsx'

interface Section {
  id: string
  title: Message
  Card: ComponentType
  /** The call without which the card is locked. Without one it is about the administrator's own account. */
  call?: Pick<Endpoint, 'roles'>
  /** Without the call it is not shown at all. */
  isSecret?: true
  isWide?: true
}

/** One card each, in the specification's order: sales first. Others follow. */
const sections: readonly Section[] = [
  { id: 'sales', title: msg('Sales control'), Card: SalesControlCard, call: changeSystemSetting },
  { id: 'start', title: msg('Sales start date and time'), Card: SalesStartCard, call: changeSystemSetting },
  { id: 'price', title: msg('Node price'), Card: NodePriceCard, call: changeSystemSetting },
  { id: 'notice', title: msg('Server notice popup'), Card: ServerNoticeCard, call: changeSystemSetting },
  { id: 'fee', title: msg('Withdrawal fee'), Card: WithdrawalFeeCard, call: changeSystemSetting },
  { id: 'recipient', title: msg('Fee recipient address'), Card: FeeRecipientCard, call: changeSystemSetting },
  { id: 'addresses', title: msg('Admin IP access control'), Card: IpAccessCard, call: changeSystemSetting },
  { id: 'credentials', title: msg('Admin credentials'), Card: AdminCredentialsCard },
  { id: 'reward', title: msg('Daily reward'), Card: DailyRewardCard, call: changeSystemSetting, isWide: true },
  { id: 'authenticator', title: msg('Admin authenticator'), Card: AdminAuthenticatorCard },
  { id: 'passkeys', title: msg('Admin passkeys'), Card: AdminPasskeysCard },
  { id: 'caps', title: msg('Caps of payouts'), Card: PayoutCapsCard, call: changeSystemSetting },
  {
    id: 'administrators',
    title: msg('Administrators'),
    Card: AdministratorsCard,
    call: listAdministrators,
    isSecret: true,
    isWide: true,
  },
  { id: 'message', title: msg('Message to all users'), Card: AnnouncementsCard, call: sendAnnouncement, isWide: true },
]

/** The installation's settings. Who may change none sees them as they are. */
export function SettingsTab() {
  const mayCall = useMayCall()
  const canUsePasskeys = useCanUsePasskeys()
  const shown = sections.filter(({ call, isSecret }) => !isSecret || !call || mayCall(call))
  return (
    <div className="grid gap-4 lg:grid-cols-2 [&_section]:scroll-mt-20">
      <SettingsNav sections={shown.filter(({ id }) => id !== 'passkeys' || canUsePasskeys)} />
      {!mayCall(changeSystemSetting) && (
        <div className="lg:col-span-2">
          <Notice title={t('Only owners change the settings')}>
            {t('You see them as they are. Your name, password, authenticator and passkeys are yours to change.')}
          </Notice>
        </div>
      )}
      {shown.map(({ id, Card, call, isWide }) => (
        <Locked key={id} id={idOfSection(id)} isLocked={call !== undefined && !mayCall(call)}>
          {isWide ? (
            <div className="lg:col-span-2">
              <Card />
            </div>
          ) : (
            <Card />
          )}
        </Locked>
      ))}
    </div>
  )
}

/** A card whose fields and buttons are disabled. */
const Locked = ({ id, isLocked, children }: { id: string; isLocked: boolean; children: ReactNode }) => (
  <fieldset id={id} disabled={isLocked} className="contents">
    {children}
  </fieldset>
)
