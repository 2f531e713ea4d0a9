import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { Languages } from 'lucide-react'
import { type Language, languages } from '#shared/languages.ts'
import { chooseLanguage, useLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { useIsBusy } from '#pwa/lib/busy.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { Menu, MenuChoice, SubMenu } from '#pwa/ui/Menu.tsx'
import { Segmented } from '#pwa/ui/Segmented.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { barButton } from './barButton.ts'

/** Each in its own language, for whoever cannot read the page. */
const languageNames: Record<Language, string> = { en: 'English', ko: '한국어' }

const languageOptions = languages.map((value) => ({ value, label: <span lang={value}>{languageNames[value]}</span> }))

function useLanguageChoice() {
  const isBusy = useIsBusy()
  const queryClient = useQueryClient()
  return {
    label: t('Language'),
    value: useLanguage(({ language }) => language),
    options: languageOptions.map((option) => ({ ...option, disabled: isBusy })),
    onChange: (language: Language) => void changeTo(language, queryClient),
  }
}

async function changeTo(language: Language, queryClient: QueryClient): Promise<void> {
  let isChosen
  try {
    isChosen = await chooseLanguage(language)
  } catch {
    toast({
      title: t('Language Not Changed'),
      description: t('Its words could not be loaded. Please try again.'),
      destructive: true,
    })
    return
  }
  if (isChosen && queryClient.getQueryData(authUserQuery.queryKey))
    void import('./tellLanguage.ts').then(({ tellLanguage }) => tellLanguage(language), console.info)
  // Everything was drawn anew, the menu too: the focus goes to where the page begins.
  requestAnimationFrame(() => {
    const content = document.getElementById('content')
    content?.setAttribute('tabindex', '-1')
    content?.focus({ preventScroll: true })
  })
}

/** In a bar. */
export function LanguageMenu() {
  const choice = useLanguageChoice()
  return (
    <Menu
      trigger={
        <button type="button" aria-label={t('Language: {name}', { name: languageNames[choice.value] })} className={barButton}>
          <Languages size={18} aria-hidden />
        </button>
      }
    >
      <MenuChoice {...choice} />
    </Menu>
  )
}

/** In another menu. */
export function LanguageSubMenu() {
  const choice = useLanguageChoice()
  return (
    <SubMenu icon={<Languages size={16} aria-hidden />} label={choice.label} value={languageNames[choice.value]}>
      <MenuChoice {...choice} />
    </SubMenu>
  )
}

/** In the menu of phones. */
export const LanguageSwitch = () => <Segmented {...useLanguageChoice()} />
