import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { lazy } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { useLocation } from 'react-router-dom'
import { isAdminArea } from '#pwa/lib/isAdminArea.ts'
import { openLogin, useLoginDoor } from '#pwa/features/auth/loginDoor.ts'
import { configQuery, systemSettingsQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { BusyPress } from '#pwa/ui/BusyPress.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Late } from '#pwa/ui/Late.tsx'
import { Logo } from '#pwa/ui/Logo.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { barButton } from './barButton.ts'
import { type LinkState, MainLinks } from './MainLinks.tsx'

// Menus and wallet come in chunks of their own, after the page stands. Each has a place of its size meanwhile.
const AdminBar = lazy(async () => ({ default: (await import('./AdminBar.tsx')).AdminBar }))
const SetupBar = lazy(async () => ({ default: (await import('./SetupBar.tsx')).SetupBar }))
const ThemeMenu = lazy(async () => ({ default: (await import('./ThemeMenu.tsx')).ThemeMenu }))
const LanguageMenu = lazy(async () => ({ default: (await import('./LanguageMenu.tsx')).LanguageMenu }))
const UserMenu = lazy(async () => ({ default: (await import('./UserMenu.tsx')).UserMenu }))
const SideMenu = lazy(async () => ({ default: (await import('./SideMenu.tsx')).SideMenu }))
const LoginDoor = lazy(async () => ({ default: (await import('#pwa/features/auth/LoginDoor.tsx')).LoginDoor }))
const WalletButton = lazy(async () => ({ default: (await import('#pwa/features/wallet/WalletButton.tsx')).WalletButton }))

const linkClass = 'inline-flex min-h-11 items-center rounded-input px-3 text-14 font-strong transition-colors'

const linkColors: Record<LinkState, string> = {
  here: 'text-ink-12',
  elsewhere: 'text-ink-9 hover:text-ink-12',
  locked: 'cursor-default text-ink-7',
}

export function TopBar() {
  const { pathname } = useLocation()
  // Before the set-up there is nothing to go to.
  const Bar = pathname === '/setup' ? SetupBar : isAdminArea(pathname) ? AdminBar : null
  if (!Bar) return <MainBar />
  return (
    <Late placeholder={<div className="h-16 border-b border-ink-5" />}>
      <Bar />
    </Late>
  )
}

function MainBar() {
  const { data: config } = useQuery(configQuery)
  const user = useAuthUser()
  const isLoggingIn = useLoginDoor(({ isVerifying, captchaToken }) => isVerifying || captchaToken !== null)
  return (
    <header className="sticky top-0 z-20 border-b border-ink-5 bg-ink-1 pt-[env(safe-area-inset-top)]">
      <div className="page flex h-16 items-center gap-2">
        <Link to="/" className="mr-auto flex min-h-11 min-w-0 items-center gap-2.5 rounded-input pr-2 md:mr-4">
          <Logo />
          <span className="truncate text-16 font-strong tracking-[-0.015em] max-[360px]:sr-only">
            {config?.brandName ?? 'XCR Nodes'}
          </span>
        </Link>
        <nav aria-label={t('Main')} className="mr-auto hidden items-center md:flex">
          <MainLinks isLoggedIn={Boolean(user)} classOf={(state) => clsx(linkClass, linkColors[state])} />
        </nav>
        <Late placeholder={<WalletPlaceholder />}>
          <WalletButton />
        </Late>
        {user === null && (
          <Button variant="secondary" needsServer className="max-md:hidden" onClick={openLogin}>
            {t('Log in')}
          </Button>
        )}
        <div className="hidden min-w-22 md:flex">
          <Late placeholder={user === null && <ChoicesPlaceholder />}>
            {user ? (
              <UserMenu user={user} />
            ) : (
              <>
                <LanguageMenu />
                <ThemeMenu />
              </>
            )}
          </Late>
        </div>
        <div className="size-11 shrink-0 md:hidden">
          <Late placeholder={<MenuPlaceholder />}>
            <SideMenu user={user} />
          </Late>
        </div>
      </div>
      {isLoggingIn && (
        <Late placeholder={<BusyPress />}>
          <LoginDoor />
        </Late>
      )}
    </header>
  )
}

/** Until its chunk is there the wallet's button looks as it will, if it is known how. */
function WalletPlaceholder() {
  const { data: settings } = useQuery(systemSettingsQuery)
  const user = useAuthUser()
  if (!settings || user !== null) return <Skeleton className="h-11 w-28 rounded-input" />
  const isEnabled = settings.some(({ key, value }) => key === 'sales_enabled' && value === 'true')
  return (
    <Button variant="secondary" disabled={!isEnabled}>
      {isEnabled ? t('Connect Wallet') : t('Sales Disabled')}
    </Button>
  )
}

const MenuPlaceholder = () => (
  <button
    type="button"
    aria-label={t('Open menu')}
    className="grid size-11 translate-x-2 place-items-center rounded-input text-ink-11"
  >
    {/* As it comes with the menu. Drawn here: a picture in the style sheet, as the others are, costs each phone its first paint. */}
    <svg width="22" height="22" viewBox="0 0 24 24" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden>
      <path d="M4 5h16M4 12h16M4 19h16" />
    </svg>
  </button>
)

const ChoicesPlaceholder = () => (
  <>
    <button type="button" aria-label={t('Language')} className={barButton}>
      <span className="early-icon early-icon-language" />
    </button>
    <button type="button" aria-label={t('Theme')} className={barButton}>
      <span className="early-icon early-icon-theme" />
    </button>
  </>
)
