import type { ComponentProps, ReactNode } from 'react'
import { type ButtonVariant, buttonClass } from './buttonClass.ts'
import { Spinner } from './Spinner.tsx'

interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant
  /** Under way: disabled, with a sign of life. */
  isPending?: boolean
  /** What the button says meanwhile. */
  pendingLabel?: ReactNode
  isWide?: boolean
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
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || isPending}
      aria-busy={isPending || undefined}
      className={buttonClass({ variant, isWide, className })}
    >
      {isPending && <Spinner />}
      <span className="contents">{isPending ? (pendingLabel ?? children) : children}</span>
    </button>
  )
}
