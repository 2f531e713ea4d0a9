import { Languages } from '#pwa/ui/icons.ts'
import { Menu, MenuChoice, type MenuProps, SubMenu } from '#pwa/ui/Menu.tsx'
import { languageNames } from './languageNames.ts'
import { useLanguageChoice } from './useLanguageChoice.tsx'

export const LanguageChoices = (props: Omit<MenuProps, 'children'>) => (
  <Menu {...props}>
    <MenuChoice {...useLanguageChoice()} />
  </Menu>
)

/** Rendered as a submenu. */
export function LanguageSubMenu() {
  const choice = useLanguageChoice()
  return (
    <SubMenu icon={<Languages size={16} aria-hidden />} label={choice.label} value={languageNames[choice.value]}>
      <MenuChoice {...choice} />
    </SubMenu>
  )
}
