import { AdminCredentialsCard } from './AdminCredentialsCard.tsx'
import { AdminAuthenticatorCard } from './AdminAuthenticatorCard.tsx'
import { IpAccessCard } from './IpAccessCard.tsx'

/** The settings of the installation, a card each. */
export const SettingsTab = () => (
  <div className="grid items-start gap-4 lg:grid-cols-2">
    <div className="flex flex-col gap-4">
      <IpAccessCard />
      <AdminAuthenticatorCard />
    </div>
    <AdminCredentialsCard />
  </div>
)
