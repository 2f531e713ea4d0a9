import clsx from 'clsx'
import { X } from '#pwa/ui/icons.ts'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useTask } from '#pwa/lib/busy.ts'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  /** Without the cross, the veil and Escape: for a step that must not be left by accident. */
  isHeld?: boolean
  isWide?: boolean
  /** Called when it opens; by default the first control gets the focus. */
  onOpenAutoFocus?: (event: Event) => void
  /** Actions below the content, always in sight. */
  actions?: ReactNode
  children?: ReactNode
}

/** Where the focus was before the dialog that is closing now: one that follows it in the same breath gives it back there. */
let leftBehind: EventTarget | null = null

/** What had the focus last. A button that is disabled while it fetches what the dialog shows has lost it by then. */
let lastFocused: EventTarget | null = null
if (typeof document !== 'undefined') document.addEventListener('focusin', ({ target }) => (lastFocused = target))

/** A sheet from the bottom on a phone, a dialog on a desk. Never higher than 90 % of the viewport; focus goes back where it was. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, isHeld = false, isWide = false, onOpenAutoFocus, actions, children } = props
  const focusBefore = useRef<EventTarget | null>(null)
  // Whatever is begun in a dialog is not torn away by a reload.
  useTask(open)
  const stay = isHeld ? (event: Event) => event.preventDefault() : undefined

  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        {/* A plain veil: Radix's own brings a style element that the Content-Security-Policy refuses. tokens.css locks the page. */}
        <div className="fixed inset-0 z-40 animate-appear bg-veil" aria-hidden />
        <Radix.Content
          data-holds-page
          {...(!description && { 'aria-describedby': undefined })}
          onOpenAutoFocus={(event) => {
            // The control that led here may have been disabled since: then the dialog it is in takes the focus back.
            const below = [...document.querySelectorAll('[data-holds-page][data-state="open"]')].filter(
              (one) => one !== event.target,
            )
            focusBefore.current =
              document.activeElement === document.body ? (below.at(-1) ?? leftBehind ?? lastFocused) : document.activeElement
            leftBehind = focusBefore.current
            onOpenAutoFocus?.(event)
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            leftBehind = null
            if (focusBefore.current instanceof HTMLElement) focusBefore.current.focus({ preventScroll: true })
          }}
          {...(stay && { onEscapeKeyDown: stay, onPointerDownOutside: stay })}
          onInteractOutside={(event) => {
            // A toast or another wallet's own window lies above the dialog: touching it leaves the dialog alone.
            if (isHeld || (event.target as Element | null)?.closest?.('[data-above-dialogs]')) event.preventDefault()
          }}
          className={clsx(
            'fixed inset-x-0 bottom-0 z-40 flex max-h-[90dvh] animate-rise flex-col rounded-t-[16px] border border-ink-5 bg-surface shadow-float outline-none desk:inset-0 desk:m-auto desk:h-fit desk:w-[calc(100%-48px)] desk:rounded-card',
            isWide ? 'desk:max-w-[640px]' : 'desk:max-w-[440px]',
          )}
        >
          <header className="flex items-start justify-between gap-2 pt-4 pr-2 pb-2 pl-4 desk:pt-5 desk:pr-4 desk:pl-6">
            <div className="min-w-0 pt-1.5">
              <Radix.Title className="text-20 font-strong text-ink-12">{title}</Radix.Title>
              {description && <Radix.Description className="mt-1 text-14 text-ink-10">{description}</Radix.Description>}
            </div>
            {!isHeld && (
              <Radix.Close
                aria-label={t('Close')}
                className="grid size-11 shrink-0 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
              >
                <X size={20} aria-hidden />
              </Radix.Close>
            )}
          </header>
          <div className="min-h-0 overflow-y-auto overscroll-contain px-4 pt-2 pb-4 desk:px-6 desk:pb-6">{children}</div>
          {actions && (
            <footer className="flex flex-col-reverse gap-2 border-t border-ink-5 px-4 pt-3 pb-[max(12px,env(safe-area-inset-bottom))] desk:flex-row desk:justify-end desk:px-6 desk:py-4">
              {actions}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
