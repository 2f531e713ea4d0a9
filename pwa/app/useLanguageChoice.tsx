import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type Language, languages } from '#shared/languages.ts'
import { chooseLanguage, useCurrentLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { useIsBusy } from '#pwa/lib/busy.ts'
import { authUserQuery, inboxQuery } from '#pwa/lib/queries.ts'
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
  // Its messages are in the language of the request.
  if (isChosen) void queryClient.invalidateQueries({ queryKey: inboxQuery.queryKey })
  if (isChosen && queryClient.getQueryData(authUserQuery.queryKey))
    void import('./saveEmailLanguage.ts').then(({ saveEmailLanguage }) => saveEmailLanguage(language), console.info)
}
