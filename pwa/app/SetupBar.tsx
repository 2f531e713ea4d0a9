import { Logo } from '#pwa/ui/Logo.tsx'
import { LanguageMenu } from './LanguageMenu.tsx'
import { ThemeMenu } from './ThemeMenu.tsx'

/** Before setup: only the choice of language and theme. */
export function SetupBar() {
  return (
    <header className="border-b border-ink-5 pt-[env(safe-area-inset-top)]">
      <div className="page flex h-16 items-center justify-between">
        <span className="mr-auto">
          <Logo />
        </span>
        <LanguageMenu />
        <ThemeMenu />
      </div>
    </header>
  )
}
