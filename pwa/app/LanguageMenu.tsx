import { Languages } from '#pwa/ui/icons.ts'
import { useCurrentLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { MenuButton } from '#pwa/ui/MenuButton.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { barButton } from './barButton.ts'
import { languageNames } from './languageNames.ts'

const LanguageChoices = lazyPart(async () => (await import('./LanguageChoices.tsx')).LanguageChoices)

export function LanguageMenu() {
  return (
    <MenuButton
      label={t('Language: {name}', { name: languageNames[useCurrentLanguage()] })}
      className={barButton}
      menu={(props) => <LanguageChoices {...props} />}
    >
      <Languages size={18} aria-hidden />
    </MenuButton>
  )
}
