import clsx from 'clsx'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'

const variants: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-ink-6 bg-surface text-ink-12 hover:border-ink-8 hover:bg-ink-2',
  quiet: 'text-ink-11 hover:bg-ink-3 hover:text-ink-12',
  danger: 'bg-red text-on-red hover:opacity-90',
}

/** The classes of a button, also for links that look like one. */
export const buttonClass = ({
  variant = 'primary',
  isWide = false,
  className,
}: {
  variant?: ButtonVariant
  isWide?: boolean
  className?: string | undefined
} = {}): string =>
  clsx(
    'inline-flex min-h-11 select-none items-center justify-center gap-2 rounded-input px-4 text-center text-14 font-strong transition-[background-color,border-color,color,opacity,transform] active:translate-y-px disabled:pointer-events-none disabled:border-transparent disabled:bg-ink-3 disabled:text-ink-9 aria-busy:disabled:opacity-100',
    variants[variant],
    isWide && 'w-full py-2',
    className,
  )
