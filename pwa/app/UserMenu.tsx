import { ChevronDown } from '#pwa/ui/icons.ts'
import type { AuthUser } from '#shared/contract/identity.ts'
import { t } from '#pwa/i18n/t.ts'
import { MenuButton } from '#pwa/ui/MenuButton.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { Avatar } from './Avatar.tsx'

export const UserChoices = lazyPart(async () => (await import('./UserChoices.tsx')).UserChoices)

export const nameOf = ({ email }: Pick<AuthUser, 'email'>): string => email.split('@')[0] || 'User'

export const UserMenu = ({ user }: { user: AuthUser }) => (
  <MenuButton
    label={t('Account of {name}', { name: nameOf(user) })}
    className="flex min-h-11 items-center gap-2 rounded-input pr-2 pl-1.5 text-14 font-strong text-ink-11 transition-colors hover:bg-ink-3 hover:text-ink-12 aria-expanded:bg-ink-3"
    menu={(props) => <UserChoices user={user} {...props} />}
  >
    <Avatar user={user} />
    <span className="max-w-[140px] truncate">{nameOf(user)}</span>
    <ChevronDown size={16} aria-hidden className="text-ink-9" />
  </MenuButton>
)
