import { type Message, t, translate } from '#pwa/i18n/t.ts'
import { TextButton } from '#pwa/ui/TextButton.tsx'

/** The element that contains the card of a section. */
export const idOfSection = (id: string): string => `settings-${id}`

/** Buttons that move the focus to the title of a section. */
export const SettingsNav = ({ sections }: { sections: readonly { id: string; title: Message }[] }) => (
  <nav aria-label={t('Sections of the settings')} className="lg:col-span-2">
    <ul className="grid grid-cols-2 gap-x-4 sm:flex sm:flex-wrap">
      {sections.map(({ id, title }) => (
        <li key={id}>
          <TextButton className="text-left md:min-h-8" onClick={() => focusTitle(id)}>
            {translate(title)}
          </TextButton>
        </li>
      ))}
    </ul>
  </nav>
)

function focusTitle(id: string) {
  const title = document.getElementById(idOfSection(id))?.querySelector('h2')
  if (!title) return
  title.tabIndex = -1
  title.focus({ preventScroll: true })
  // The whole card, which has the margin for the bar above.
  title.closest('section')?.scrollIntoView()
}
