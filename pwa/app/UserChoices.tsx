import { ArrowUpRight, LogOut, ShieldCheck, Unplug } from '#pwa/ui/icons.ts'
import { Suspense } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { openWithdrawal } from '#pwa/features/withdrawal/withdrawalStore.ts'
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuLine, MenuLink, type MenuProps, SubMenu } from '#pwa/ui/Menu.tsx'
import { useTheme } from '#pwa/ui/theme.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { LanguageSubMenu } from './LanguageChoices.tsx'
import { themeIcons, themeNames, themeOptions } from './themeOptions.tsx'
import { useLogout } from './useLogout.ts'
import { useWithdrawalBlocker } from './useWithdrawalBlocker.ts'

const DisconnectItem = lazyPart(async () => (await import('#pwa/features/wallet/DisconnectItem.tsx')).DisconnectItem)

export function UserChoices({ user, ...props }: Omit<MenuProps, 'children'> & { user: AuthUser }) {
  const { choice, choose } = useTheme()
  const ThemeIcon = themeIcons[choice]
  const logout = useLogout()
  const withdrawalBlocker = useWithdrawalBlocker()
  return (
    <Menu {...props}>
      <MenuHeading>
        <span className="block max-w-64 truncate">{user.email}</span>
      </MenuHeading>
      <MenuLink to="/security" icon={<ShieldCheck size={16} aria-hidden />}>
        {t('Security Settings')}
      </MenuLink>
      <MenuItem
        icon={<ArrowUpRight size={16} aria-hidden />}
        onSelect={openWithdrawal}
        disabled={withdrawalBlocker !== null}
        {...(withdrawalBlocker && { note: withdrawalBlocker })}
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
