import { X } from '#pwa/ui/icons.ts'
import { type CSSProperties, useEffect, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { dismissToast, TOAST_DURATION, type ToastState, useToasts } from './toast.ts'

/** The toast region: below the top bar on a phone, at the bottom right on desktop. Rendered once, outside of every dialog. */
export function Toasts() {
  const shown = useToasts(({ toasts }) => toasts.filter(({ isOpen }) => isOpen)[0])
  const top = shown ? barBottom() : 0
  return (
    <section
      style={{ '--bar-bottom': `${top}px` } as CSSProperties}
      data-above-dialogs
      aria-label={t('Notifications')}
      className="pointer-events-none fixed inset-x-0 top-[var(--bar-bottom)] z-50 mx-auto flex w-full max-w-[420px] flex-col p-4 transition-[top] max-desk:pt-2 max-desk:[html:has([data-holds-page][data-state=open])_&]:top-[env(safe-area-inset-top)] desk:top-auto desk:right-0 desk:bottom-0 desk:left-auto desk:mx-0"
    >
      {/*
        Both regions are in the page from the start, because screen readers announce only changes of regions they know. The
        explicit aria-live is for Radix, which hides everything outside an open dialog except elements with that attribute.
      */}
      <div role="status" aria-live="polite">
        {shown && !shown.destructive && <Toast key={shown.id} toast={shown} />}
      </div>
      <div role="alert" aria-live="assertive">
        {shown?.destructive && <Toast key={shown.id} toast={shown} />}
      </div>
    </section>
  )
}

/** Bottom edge of the top bar, which is lower if the demo bar is above it. */
const barBottom = (): number => Math.max(0, document.querySelector('body header')?.getBoundingClientRect().bottom ?? 0)

function Toast({ toast: { id, title, description, destructive } }: { toast: ToastState }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => dismissToast(id), TOAST_DURATION)
    return () => clearTimeout(timer)
  }, [id, isHeld])

  return (
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="pointer-events-auto flex animate-rise items-start gap-3 rounded-card border border-ink-5 bg-surface py-3 pr-2 pl-4 shadow-float data-[destructive=true]:border-red-line data-[destructive=true]:bg-red-soft"
      data-destructive={destructive ?? false}
    >
      <div className="min-w-0 flex-1 py-1">
        <p className={`text-14 font-strong first-letter:uppercase ${destructive ? 'text-red' : 'text-ink-12'}`}>{title}</p>
        {description && <p className="mt-0.5 text-14 text-ink-11">{description}</p>}
      </div>
      <button
        type="button"
        aria-label={t('Close notification')}
        onClick={() => dismissToast(id)}
        className="-my-1 grid size-11 shrink-0 place-items-center rounded-input text-ink-9 transition-colors hover:text-ink-12"
      >
        <X size={16} aria-hidden />
      </button>
    </div>
  )
}
