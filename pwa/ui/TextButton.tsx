import clsx from 'clsx'
import type { ComponentProps } from 'react'

/** A button that looks like a link, for secondary actions. */
export function TextButton({ className, type = 'button', ...rest }: ComponentProps<'button'>) {
  return (
    <button
      {...rest}
      type={type}
      className={clsx(
        'inline-flex min-h-11 items-center rounded-small text-14 text-accent underline underline-offset-2 hover:text-accent-strong',
        className,
      )}
    />
  )
}
