import { type ReactNode, Suspense, useId, useRef, useState } from 'react'
import { BusyPress } from './BusyPress.tsx'
import type { MenuProps } from './Menu.tsx'

interface MenuButtonProps {
  /** Its accessible name, which is also that of the menu. */
  label: string
  className: string
  /** Draws a `Menu` with these properties. It may be lazy: the button is marked as busy until its chunk is there. */
  menu: (props: Omit<MenuProps, 'children'>) => ReactNode
  children: ReactNode
}

/** A button that opens a menu. Radix comes with the menu, so the button can be part of the page from the first paint. */
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
