import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Link } from '#pwa/ui/Link.tsx'
import { useLocation } from 'react-router-dom'
import { isAdminArea } from '#pwa/lib/isAdminArea.ts'
import { openLogin, useLoginStore } from '#pwa/features/auth/loginStore.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { WalletButton } from '#pwa/features/wallet/WalletButton.tsx'
import { BusyPress } from '#pwa/ui/BusyPress.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Logo } from '#pwa/ui/Logo.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { LanguageMenu } from './LanguageMenu.tsx'
import { type LinkState, MainLinks } from './MainLinks.tsx'
import { SideMenu } from './SideMenu.tsx'
import { ThemeMenu } from './ThemeMenu.tsx'
import { UserMenu } from './UserMenu.tsx'

const AdminBar = lazyPart(async () => (await import('./AdminBar.tsx')).AdminBar)
const SetupBar = lazyPart(async () => (await import('./SetupBar.tsx')).SetupBar)
const InboxLink = lazyPart(async () => (await import('./InboxLink.tsx')).InboxLink)
export const LoginHost = lazyPart(async () => (await import('#pwa/features/auth/LoginHost.tsx')).LoginHost)

const linkClass = 'inline-flex min-h-11 items-center rounded-input px-3 text-14 font-strong transition-colors'

const linkColors: Record<LinkState, string> = {
  here: 'text-ink-12',
  elsewhere: 'text-ink-9 hover:text-ink-12',
  locked: 'cursor-default text-ink-7',
}

export function TopBar() {
  const { pathname } = useLocation()
  // Before setup no page is available.
  const Bar = pathname === '/setup' ? SetupBar : isAdminArea(pathname) ? AdminBar : null
  if (!Bar) return <MainBar />
  return (
    <Suspense fallback={<div className="h-16 border-b border-ink-5" />}>
      <Bar />
    </Suspense>
  )
}

function MainBar() {
  const { data: config } = useQuery(configQuery)
  const user = useAuthUser()
  const isLoggingIn = useLoginStore(({ isVerifying, captchaToken }) => isVerifying || captchaToken !== null)
  return (
    // On a tiny screen the wallet is below the rest, and the bar scrolls with the page.
    <header className="sticky top-0 z-20 border-b border-ink-5 bg-ink-1 pt-[env(safe-area-inset-top)] tiny:static">
      <div className="page flex min-h-16 items-center gap-2 py-1 tiny:flex-wrap">
        <Link to="/" className="mr-auto flex min-h-11 min-w-11 items-center gap-2.5 rounded-input pr-2 md:mr-4">
          <Logo />
          <span
            className={clsx(
              'truncate text-16 font-strong tracking-[-0.015em]',
              // Beside the inbox there is no room for it on most phones.
              user ? 'max-[430px]:sr-only' : 'max-[360px]:sr-only',
            )}
          >
            {config?.brandName ?? 'XCR Nodes'}
          </span>
        </Link>
        <nav aria-label={t('Main')} className="mr-auto hidden items-center md:flex">
          <MainLinks isLoggedIn={Boolean(user)} classOf={(state) => clsx(linkClass, linkColors[state])} />
        </nav>
        {user && (
          <Suspense fallback={<span className="size-11 shrink-0" />}>
            <InboxLink />
          </Suspense>
        )}
        <div className="flex tiny:order-1 tiny:basis-full">
          <WalletButton />
        </div>
        {user === null && (
          <Button variant="secondary" needsServer className="max-md:hidden" onClick={openLogin}>
            {t('Log in')}
          </Button>
        )}
        <div className="hidden min-w-22 md:flex">
          {user && <UserMenu user={user} />}
          {user === null && (
            <>
              <LanguageMenu />
              <ThemeMenu />
            </>
          )}
        </div>
        <div className="size-11 shrink-0 md:hidden">
          <SideMenu user={user} />
        </div>
      </div>
      {isLoggingIn && (
        <Suspense fallback={<BusyPress />}>
          <LoginHost />
        </Suspense>
      )}
    </header>
  )
}
