import { Menu } from '#pwa/ui/icons.ts'
import { Suspense, useRef, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import type { AuthUser } from '#shared/contract/identity.ts'
import { BusyPress } from '#pwa/ui/BusyPress.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

export const SidePanel = lazyPart(async () => (await import('./SidePanel.tsx')).SidePanel)

export function SideMenu({ user }: { user: AuthUser | null | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={t('Open menu')}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
        className="grid size-11 translate-x-2 place-items-center rounded-input text-ink-11 transition-colors hover:bg-ink-3"
      >
        <Menu size={22} aria-hidden />
      </button>
      {isOpen && (
        <Suspense fallback={<BusyPress />}>
          <SidePanel user={user} close={() => setOpen(false)} onClosed={() => button.current?.focus()} />
        </Suspense>
      )}
    </>
  )
}
