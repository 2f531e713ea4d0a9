import { t } from '#pwa/i18n/t.ts'
import { Menu, MenuChoice, type MenuProps } from '#pwa/ui/Menu.tsx'
import { useTheme } from '#pwa/ui/theme.ts'
import { themeOptions } from './themeOptions.tsx'

export function ThemeChoices(props: Omit<MenuProps, 'children'>) {
  const { choice, choose } = useTheme()
  return (
    <Menu {...props}>
      <MenuChoice label={t('Theme')} value={choice} onChange={choose} options={themeOptions()} />
    </Menu>
  )
}
