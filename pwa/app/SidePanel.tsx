import clsx from 'clsx'
import { ArrowUpRight, LogOut, ShieldCheck, Unplug, X } from '#pwa/ui/icons.ts'
import { Dialog } from 'radix-ui'
import { type ReactNode, Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { NavLink } from '#pwa/ui/Link.tsx'
import type { AuthUser } from '#shared/contract/identity.ts'
import { openLogin } from '#pwa/features/auth/loginStore.ts'
import { openWithdrawal } from '#pwa/features/withdrawal/withdrawalStore.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Segmented } from '#pwa/ui/Segmented.tsx'
import { useTheme } from '#pwa/ui/theme.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { useCloseRequest } from '#pwa/ui/useCloseRequest.ts'
import { Avatar } from './Avatar.tsx'
import { type LinkState, MainLinks } from './MainLinks.tsx'
import { themeOptions } from './themeOptions.tsx'
import { useLanguageChoice } from './useLanguageChoice.tsx'
import { useLogout } from './useLogout.ts'
import { nameOf } from './UserMenu.tsx'
import { useWithdrawalBlocker } from './useWithdrawalBlocker.ts'

const DisconnectItem = lazyPart(async () => (await import('#pwa/features/wallet/DisconnectItem.tsx')).DisconnectItem)

const rowClass = 'flex min-h-12 w-full items-center gap-3 rounded-input px-3 text-left text-16 font-strong transition-colors'

const linkColors: Record<LinkState, string> = { here: 'bg-ink-3 text-ink-12', elsewhere: 'text-ink-10', locked: 'text-ink-7' }

export interface SidePanelProps {
  user: AuthUser | null | undefined
  close: () => void
  /** Called after it has closed. */
  onClosed: () => void
}

/** The phone's navigation. */
export function SidePanel({ user, close, onClosed }: SidePanelProps) {
  const { choice, choose } = useTheme()
  const logout = useLogout()
  const withdrawalBlocker = useWithdrawalBlocker()
  useCloseRequest(true, close)

  return (
    <Dialog.Root open onOpenChange={close}>
      <Dialog.Portal>
        <div className="fixed inset-0 z-30 animate-appear bg-veil" aria-hidden />
        <Dialog.Content
          data-holds-page
          aria-describedby={undefined}
          onCloseAutoFocus={onClosed}
          className="fixed inset-y-0 right-0 z-40 flex w-[min(320px,88vw)] animate-appear flex-col border-l border-ink-5 bg-surface px-3 pt-[max(10px,env(safe-area-inset-top))] pb-[max(16px,env(safe-area-inset-bottom))] outline-none"
        >
          <div className="flex items-center justify-between pl-3">
            <Dialog.Title className="text-14 text-ink-9">{t('Menu')}</Dialog.Title>
            <Dialog.Close aria-label={t('Close menu')} className="grid size-11 place-items-center rounded-input text-ink-9">
              <X size={22} aria-hidden />
            </Dialog.Close>
          </div>
          {user && (
            <p className="mb-2 flex items-center gap-3 px-3 py-2">
              <Avatar user={user} />
              <span className="min-w-0">
                <span className="block truncate font-strong">{nameOf(user)}</span>
                <span className="block truncate text-12 text-ink-9">{user.email}</span>
              </span>
            </p>
          )}
          <nav aria-label={t('Main')} className="flex flex-col gap-0.5">
            <MainLinks
              isLoggedIn={Boolean(user)}
              classOf={(state) => clsx(rowClass, linkColors[state])}
              onFollow={close}
              hasNotes
            />
          </nav>
          {user && (
            <div className="mt-2 flex flex-col gap-0.5 border-t border-ink-5 pt-2">
              <NavLink to="/security" onClick={close} className={clsx(rowClass, 'text-ink-10')}>
                <ShieldCheck size={18} aria-hidden className="text-ink-9" /> {t('Security Settings')}
              </NavLink>
              <Row
                icon={<ArrowUpRight size={18} aria-hidden />}
                disabled={withdrawalBlocker !== null}
                {...(withdrawalBlocker && { note: withdrawalBlocker })}
                onClick={() => (close(), openWithdrawal())}
              >
                {t('XCR Withdraw')}
              </Row>
              <Suspense fallback={null}>
                <DisconnectItem
                  render={(disconnect) => (
                    <Row icon={<Unplug size={18} aria-hidden />} onClick={() => (disconnect(), close())}>
                      {t('Disconnect')}
                    </Row>
                  )}
                />
              </Suspense>
              <Row icon={<LogOut size={18} aria-hidden />} onClick={() => (logout.mutate(), close())}>
                {t('Log out')}
              </Row>
            </div>
          )}
          <div className="mt-auto flex flex-col gap-3">
            <Segmented {...useLanguageChoice()} />
            <Segmented label={t('Theme')} value={choice} onChange={choose} options={themeOptions()} />
            {user === null && (
              <Button isWide needsServer onClick={() => (close(), openLogin())}>
                {t('Log in')}
              </Button>
            )}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface RowProps {
  icon: ReactNode
  onClick: () => void
  children: ReactNode
  disabled?: boolean
  /** A second line, such as the reason why it is disabled. */
  note?: string
}

function Row({ icon, onClick, children, disabled = false, note }: RowProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      disabled={disabled}
      className={clsx(rowClass, 'text-ink-10 enabled:hover:bg-ink-3 disabled:text-ink-9')}
    >
      <span className="text-ink-9">{icon}</span>
      <span>
        {children}
        {note && <span className="block text-12 font-normal"> {note}</span>}
      </span>
    </button>
  )
}
