import { Monitor, Moon, Sun } from '#pwa/ui/icons.ts'
import { type Message, msg, translate } from '#pwa/i18n/t.ts'
import { type ThemeChoice, themeChoices } from '#pwa/ui/theme.ts'

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
