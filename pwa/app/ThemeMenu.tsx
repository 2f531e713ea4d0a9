import { t, translate } from '#pwa/i18n/t.ts'
import { MenuButton } from '#pwa/ui/MenuButton.tsx'
import { useTheme } from '#pwa/ui/theme.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { barButton } from './barButton.ts'
import { themeIcons, themeNames } from './themeOptions.tsx'

const ThemeChoices = lazyPart(async () => (await import('./ThemeChoices.tsx')).ThemeChoices)

export function ThemeMenu() {
  const { choice } = useTheme()
  const Icon = themeIcons[choice]
  return (
    <MenuButton
      label={t('Theme: {name}', { name: translate(themeNames[choice]) })}
      className={barButton}
      menu={(props) => <ThemeChoices {...props} />}
    >
      <Icon size={18} aria-hidden />
    </MenuButton>
  )
}
