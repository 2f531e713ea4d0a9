import { ArrowUpRight, ChevronDown, LogOut, ShieldCheck, Unplug } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { openWithdrawal } from '#pwa/features/withdrawal/withdrawalStore.ts'
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuLine, MenuLink, SubMenu } from '#pwa/ui/Menu.tsx'
import { useTheme } from '#pwa/ui/theme.ts'
import { Avatar } from './Avatar.tsx'
import { LanguageSubMenu } from './LanguageMenu.tsx'
import { themeIcons, themeNames, themeOptions } from './ThemeMenu.tsx'
import { useLogout } from './useLogout.ts'
import { useWithdrawalHindrance } from './useWithdrawalHindrance.ts'

const DisconnectItem = lazy(async () => ({ default: (await import('#pwa/features/wallet/DisconnectItem.tsx')).DisconnectItem }))

export const nameOf = ({ email }: Pick<AuthUser, 'email'>): string => email.split('@')[0] || 'User'

export function UserMenu({ user }: { user: AuthUser }) {
  const { choice, choose } = useTheme()
  const ThemeIcon = themeIcons[choice]
  const logout = useLogout()
  const withdrawalHindrance = useWithdrawalHindrance()
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('Account of {name}', { name: nameOf(user) })}
          className="flex min-h-11 items-center gap-2 rounded-input pr-2 pl-1.5 text-14 font-strong text-ink-11 transition-colors hover:bg-ink-3 hover:text-ink-12 data-[state=open]:bg-ink-3"
        >
          <Avatar user={user} />
          <span className="max-w-[140px] truncate">{nameOf(user)}</span>
          <ChevronDown size={16} aria-hidden className="text-ink-9" />
        </button>
      }
    >
      <MenuHeading>
        <span className="block max-w-64 truncate">{user.email}</span>
      </MenuHeading>
      <MenuLink to="/security" icon={<ShieldCheck size={16} aria-hidden />}>
        {t('Security Settings')}
      </MenuLink>
      <MenuItem
        icon={<ArrowUpRight size={16} aria-hidden />}
        onSelect={openWithdrawal}
        disabled={withdrawalHindrance !== null}
        {...(withdrawalHindrance && { note: withdrawalHindrance })}
      >
        {t('XCR Withdraw')}
      </MenuItem>
      <Suspense fallback={null}>
        <DisconnectItem
          render={(disconnect) => (
            <MenuItem icon={<Unplug size={16} aria-hidden />} onSelect={disconnect}>
              {t('Disconnect')}
            </MenuItem>
          )}
        />
      </Suspense>
      <MenuLine />
      <SubMenu icon={<ThemeIcon size={16} aria-hidden />} label={t('Theme')} value={translate(themeNames[choice])}>
        <MenuChoice label={t('Theme')} value={choice} onChange={choose} options={themeOptions()} />
      </SubMenu>
      <LanguageSubMenu />
      <MenuLine />
      <MenuItem icon={<LogOut size={16} aria-hidden />} onSelect={() => logout.mutate()}>
        {t('Log out')}
      </MenuItem>
    </Menu>
  )
}
