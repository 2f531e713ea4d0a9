import { Monitor, Moon, Sun } from 'lucide-react'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { MenuChoice, Menu } from '#pwa/ui/Menu.tsx'
import { type ThemeChoice, themeChoices, useTheme } from '#pwa/ui/theme.ts'
import { barButton } from './barButton.ts'

export const themeIcons: Record<ThemeChoice, typeof Sun> = { system: Monitor, light: Sun, dark: Moon }
export const themeNames: Record<ThemeChoice, Message> = {
  system: msg('System'),
  light: msg('Light'),
  dark: msg('Dark'),
}

export const themeOptions = () =>
  themeChoices.map((value) => {
    const Icon = themeIcons[value]
    return { value, label: translate(themeNames[value]), icon: <Icon size={16} aria-hidden /> }
  })

export function ThemeMenu() {
  const { choice, choose } = useTheme()
  const Icon = themeIcons[choice]
  return (
    <Menu
      trigger={
        <button type="button" aria-label={t('Theme: {name}', { name: translate(themeNames[choice]) })} className={barButton}>
          <Icon size={18} aria-hidden />
        </button>
      }
    >
      <MenuChoice label={t('Theme')} value={choice} onChange={choose} options={themeOptions()} />
    </Menu>
  )
}
