import clsx from 'clsx'
import { X } from '#pwa/ui/icons.ts'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useTask } from '#pwa/lib/busy.ts'
import { findOpenDialogs, readLastFocused, returnFocus } from './returnFocus.ts'
import { dismissPastRefusal } from './toast.ts'
import { useCloseRequest } from './useCloseRequest.ts'

interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  /** Hides the close button and ignores the overlay, Escape and the phone's back button, for a step that must not be left by accident. */
  isHeld?: boolean
  isWide?: boolean
  /** Called on opening. Unless it prevents that, the focus goes where `findStart` says. */
  onOpenAutoFocus?: (event: Event) => void
  /** Actions below the content, always visible. */
  actions?: ReactNode
  children?: ReactNode
}

/** The element that had the focus before the dialog that is closing. A dialog that opens right after it returns the focus there. */
let leftBehind: EventTarget | null = null

/** Something to type or choose in. A tick or a choice of several comes after the text that it is about. */
const FIELD = ['input:not([type=checkbox], [type=radio], [hidden], [readonly])', 'select', 'textarea']
  .map((kind) => `${kind}:enabled`)
  .join()

/**
 * What has the focus first: the field that is asked for, or the button that is marked. Otherwise the dialog itself, so that its title
 * and text are read first: also if it has more to read than fits, and where focusing a field would open a keyboard over it.
 */
function findStart(dialog: HTMLElement): HTMLElement {
  if (matchMedia('(hover: none) and (pointer: coarse)').matches) return dialog
  const content = dialog.querySelector('[data-content]')!
  const isCut = content.scrollHeight > content.clientHeight + 1
  return (isCut ? null : content.querySelector<HTMLElement>(FIELD)) ?? dialog.querySelector<HTMLElement>('[data-start]') ?? dialog
}

/** A bottom sheet on a phone, a dialog on desktop. At most 90 % of the viewport's height; the focus returns on closing. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, isHeld = false, isWide = false, onOpenAutoFocus, actions, children } = props
  const focusBefore = useRef<EventTarget | null>(null)
  const hasInput = useRef(false)
  // An open dialog counts as busy, so no update reloads the page.
  useTask(open)
  useCloseRequest(open, () => !isHeld && onOpenChange(false))
  const stay = isHeld ? (event: Event) => event.preventDefault() : undefined

  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        {/* A plain overlay: Radix's own adds a style element that the Content-Security-Policy refuses. tokens.css locks scrolling. */}
        <div className="fixed inset-0 z-40 animate-appear bg-veil" aria-hidden />
        <Radix.Content
          data-holds-page
          onInput={() => (hasInput.current = true)}
          {...(!description && { 'aria-describedby': undefined })}
          onOpenAutoFocus={(event) => {
            hasInput.current = false
            dismissPastRefusal()
            // If the control that opened it is disabled by now, the dialog that contains it gets the focus back.
            focusBefore.current =
              document.activeElement === document.body
                ? (findOpenDialogs(event.target).at(-1) ?? leftBehind ?? readLastFocused())
                : document.activeElement
            leftBehind = focusBefore.current
            onOpenAutoFocus?.(event)
            if (event.defaultPrevented) return
            event.preventDefault()
            findStart(event.target as HTMLElement).focus({ preventScroll: true })
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            leftBehind = null
            returnFocus(focusBefore.current)
          }}
          {...(stay && { onEscapeKeyDown: stay, onPointerDownOutside: stay })}
          onInteractOutside={(event) => {
            // A press beside it must not lose what was typed; Escape and the buttons still close it. A toast or a wallet's own window
            // may lie above the dialog: touching it does not close the dialog.
            if (isHeld || hasInput.current || (event.target as Element | null)?.closest?.('[data-above-dialogs]'))
              event.preventDefault()
          }}
          className={clsx(
            'fixed inset-x-0 bottom-0 z-40 flex max-h-[90dvh] animate-rise flex-col rounded-t-[16px] border border-ink-5 bg-surface shadow-float outline-none desk:inset-0 desk:m-auto desk:h-fit desk:w-[calc(100%-48px)] desk:rounded-card',
            isWide ? 'desk:max-w-[640px]' : 'desk:max-w-[440px]',
          )}
        >
          {/* No header element: without a section around it, that is a second banner of the page. */}
          <div className="flex items-start justify-between gap-2 pt-4 pr-2 pb-2 pl-4 desk:pt-5 desk:pr-4 desk:pl-6">
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
          </div>
          <div
            data-content
            className={clsx(
              'min-h-0 overflow-y-auto overscroll-contain px-4 pt-2 desk:px-6 desk:pb-6',
              actions ? 'pb-4' : 'pb-[max(16px,env(safe-area-inset-bottom))]',
            )}
          >
            {children}
          </div>
          {actions && (
            <div className="flex flex-col-reverse gap-2 border-t border-ink-5 px-4 pt-3 pb-[max(12px,env(safe-area-inset-bottom))] desk:flex-row desk:justify-end desk:px-6 desk:py-4">
              {actions}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
