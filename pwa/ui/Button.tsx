import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import clsx from 'clsx'
import { type ButtonVariant, buttonClass } from './buttonClass.ts'
import { focusContent } from './returnFocus.ts'
import { Spinner } from './Spinner.tsx'

interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  /** Disabled with a spinner. */
  isPending?: boolean
  /** Label while pending. */
  pendingLabel?: ReactNode
  isWide?: boolean
  /** The action needs the server: disabled offline, with an explanation. Submit buttons always are. */
  needsServer?: boolean
}

export function Button({
  variant = 'primary',
  isPending = false,
  pendingLabel,
  isWide = false,
  className,
  children,
  disabled,
  type = 'button',
  needsServer = type === 'submit',
  'aria-label': label,
  ...rest
}: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const hadFocus = useRef(false)
  // A disabled button loses the focus. After a failure, the keyboard would begin again at the top of the page.
  useLayoutEffect(() => {
    if (isPending) hadFocus.current = document.activeElement === button.current
    else if (hadFocus.current && document.activeElement === document.body) button.current?.focus({ preventScroll: true })
    if (!isPending) hadFocus.current = false
  }, [isPending])
  // One that goes with what it was for loses it as well.
  useLayoutEffect(
    () => () => {
      if (!hadFocus.current) return
      queueMicrotask(() => document.activeElement === document.body && focusContent())
    },
    [],
  )
  const isCutOff = useIsOffline() && needsServer
  return (
    <button
      ref={button}
      {...rest}
      type={type}
      disabled={disabled || isPending || isCutOff}
      aria-label={label && isCutOff ? `${label}. ${t('No connection')}` : label}
      aria-busy={isPending || undefined}
      className={clsx(buttonClass({ variant, isWide, className }), isCutOff && !isWide && 'flex-col gap-0!')}
    >
      {isPending && <Spinner />}
      <span className="contents">{isPending ? (pendingLabel ?? children) : children}</span>
      {isCutOff && ' '}
      {isCutOff && <span className="text-12 font-normal">{t('No connection')}</span>}
    </button>
  )
}
