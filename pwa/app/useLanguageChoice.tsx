import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type Language, languages } from '#shared/languages.ts'
import { chooseLanguage, useCurrentLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { useIsBusy } from '#pwa/lib/busy.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { toast } from '#pwa/ui/toast.ts'
import { languageNames } from './languageNames.ts'

const languageOptions = languages.map((value) => ({ value, label: <span lang={value}>{languageNames[value]}</span> }))

/** The language choice, for a menu or a switch. */
export function useLanguageChoice() {
  const isBusy = useIsBusy()
  const queryClient = useQueryClient()
  return {
    label: t('Language'),
    value: useCurrentLanguage(),
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
      description: t('The translation could not be loaded. Please try again.'),
      destructive: true,
    })
    return
  }
  if (isChosen && queryClient.getQueryData(authUserQuery.queryKey))
    void import('./saveEmailLanguage.ts').then(({ saveEmailLanguage }) => saveEmailLanguage(language), console.info)
  // The whole page, including the menu, has rendered again, so the focus moves to the start of the page.
  requestAnimationFrame(() => {
    const content = document.getElementById('content')
    content?.setAttribute('tabindex', '-1')
    content?.focus({ preventScroll: true })
  })
}
