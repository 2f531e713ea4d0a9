import { Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { NavLink } from '#pwa/ui/Link.tsx'
import { Logo } from '#pwa/ui/Logo.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { LanguageMenu } from './LanguageMenu.tsx'
import { ThemeMenu } from './ThemeMenu.tsx'

const AdminName = lazyPart(async () => (await import('#pwa/admin/AdminArea.tsx')).AdminName)

/** The top bar of the back office: only its link and the administrator. */
export function AdminBar() {
  return (
    <header className="sticky top-0 z-20 border-b border-ink-5 bg-ink-1 pt-[env(safe-area-inset-top)]">
      <div className="page flex h-16 items-center gap-2">
        <Logo />
        <nav aria-label={t('Main')} className="mr-auto ml-1">
          <NavLink
            to="/admin-panel"
            className="inline-flex min-h-11 items-center rounded-input px-3 text-14 font-strong text-ink-12 transition-colors hover:bg-ink-3"
          >
            {t('Admin')}
          </NavLink>
        </nav>
        <Suspense fallback={null}>
          <AdminName />
        </Suspense>
        <LanguageMenu />
        <ThemeMenu />
      </div>
    </header>
  )
}
