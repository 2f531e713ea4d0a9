import { type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { BusyPress } from './BusyPress.tsx'
import type { MenuProps } from './Menu.tsx'

interface MenuButtonProps {
  /** Accessible name of the button and of its menu. */
  label: string
  className: string
  /** Renders a `Menu` with these properties. It may be lazy: the button is marked as busy until its chunk is loaded. */
  menu: (props: Omit<MenuProps, 'children'>) => ReactNode
  children: ReactNode
}

/** A button that opens a menu. Radix loads with the menu, so the button can be in the first paint. */
export function MenuButton({ label, className, menu, children }: MenuButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  return (
    <span className="relative">
      <button
        ref={button}
        id={id}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        className={className}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          setOpen(true)
        }}
      >
        {children}
      </button>
      {isOpen && <Suspense fallback={<BusyPress />}>{menu({ button, onClose: () => setOpen(false) })}</Suspense>}
    </span>
  )
}
