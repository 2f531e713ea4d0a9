import { Monitor, Moon, Sun } from 'lucide-react'
import { MenuChoice, Menu } from '#pwa/ui/Menu.tsx'
import { type ThemeChoice, useTheme } from '#pwa/ui/theme.ts'

const icons: Record<ThemeChoice, typeof Sun> = { system: Monitor, light: Sun, dark: Moon }
const names: Record<ThemeChoice, string> = { system: 'System', light: 'Light', dark: 'Dark' }

export const themeOptions = (['system', 'light', 'dark'] as const).map((value) => {
  const Icon = icons[value]
  return { value, label: names[value], icon: <Icon size={16} aria-hidden /> }
})

export function ThemeMenu() {
  const { choice, choose } = useTheme()
  const Icon = icons[choice]
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Theme: ${names[choice]}`}
          className="grid size-11 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
        >
          <Icon size={18} aria-hidden />
        </button>
      }
    >
      <MenuChoice label="Theme" value={choice} onChange={choose} options={themeOptions} />
    </Menu>
  )
}
