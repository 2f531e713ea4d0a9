import { Link, type LinkProps } from './Link.tsx'
import { type ButtonVariant, buttonClass } from './buttonClass.ts'

/** A link that looks like a button. */
export function ButtonLink({
  variant = 'primary',
  isWide = false,
  className,
  ...rest
}: LinkProps & { variant?: ButtonVariant; isWide?: boolean }) {
  return <Link {...rest} className={buttonClass({ variant, isWide, className })} />
}
