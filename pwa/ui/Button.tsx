import type { ComponentProps, ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import clsx from 'clsx'
import { type ButtonVariant, buttonClass } from './buttonClass.ts'
import { Spinner } from './Spinner.tsx'

interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  /** Under way: disabled, with a sign of life. */
  isPending?: boolean
  /** What the button says meanwhile. */
  pendingLabel?: ReactNode
  isWide?: boolean
  /** It asks the server for something: disabled without a connection, and says why. So is everything that submits a form. */
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
  const isCutOff = useIsOffline() && needsServer
  return (
    <button
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
