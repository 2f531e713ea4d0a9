import clsx from 'clsx'
import { Check, ChevronRight } from '#pwa/ui/icons.ts'
import { DropdownMenu as Radix } from 'radix-ui'
import { type ReactNode, type RefObject, useRef } from 'react'
import { Link } from './Link.tsx'

export interface MenuProps {
  /** The button that opens it, names it, and gets the focus back (see MenuButton). */
  button: RefObject<HTMLButtonElement | null>
  onClose: () => void
  children: ReactNode
}

/** An open menu below its button. Not modal: Radix's modal menu adds a style element that the Content-Security-Policy refuses. */
export function Menu({ button, onClose, children }: MenuProps) {
  const isPressedOutside = useRef(false)
  return (
    <Radix.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      {/* Radix positions the menu at its own trigger, which covers the button. */}
      <Radix.Trigger aria-hidden tabIndex={-1} className="pointer-events-none absolute inset-0" />
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-labelledby={button.current?.id}
          onInteractOutside={(event) => {
            // The button's own click closes the menu.
            if (button.current?.contains(event.target as Node)) event.preventDefault()
            else isPressedOutside.current = true
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (!isPressedOutside.current) button.current?.focus()
          }}
          className="z-30 min-w-56 animate-appear rounded-card border border-ink-5 bg-surface p-1.5 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const itemClass =
  'flex min-h-11 w-full cursor-pointer items-center gap-3 rounded-small px-3 text-14 text-ink-11 outline-none select-none data-[disabled]:cursor-default data-[disabled]:text-ink-9 data-[highlighted]:bg-ink-3 data-[highlighted]:text-ink-12'

interface MenuItemProps {
  icon?: ReactNode
  children: ReactNode
  onSelect?: () => void
  disabled?: boolean
  /** A second line, such as the reason why it is disabled. */
  note?: string
}

export function MenuItem({ icon, children, onSelect, disabled = false, note }: MenuItemProps) {
  return (
    <Radix.Item className={itemClass} disabled={disabled} {...(onSelect && { onSelect })}>
      {icon && <span className="text-ink-9">{icon}</span>}
      <span>
        {children}
        {note && <span className="block text-12"> {note}</span>}
      </span>
    </Radix.Item>
  )
}

export function MenuLink({ to, icon, children }: MenuItemProps & { to: string }) {
  return (
    <Radix.Item asChild className={itemClass}>
      <Link to={to}>
        {icon && <span className="text-ink-9">{icon}</span>}
        {children}
      </Link>
    </Radix.Item>
  )
}

interface MenuChoiceProps<Value extends string> {
  label: string
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: ReactNode; icon?: ReactNode; disabled?: boolean }[]
}

/** One of several choices; choosing keeps the menu open. */
export function MenuChoice<Value extends string>({ label, value, onChange, options }: MenuChoiceProps<Value>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as Value)}>
      <Radix.Label className="px-3 pt-2 pb-1 text-12 text-ink-9">{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem
          key={option.value}
          value={option.value}
          disabled={option.disabled ?? false}
          onSelect={(event) => event.preventDefault()}
          className={clsx(itemClass, 'justify-between')}
        >
          <span className="flex items-center gap-3">
            {option.icon && <span className="text-ink-9">{option.icon}</span>}
            {option.label}
          </span>
          <Radix.ItemIndicator>
            <Check size={16} aria-hidden className="text-accent" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

/** A submenu. Radix opens it 100 ms after hover and keeps it open for 300 ms while the pointer moves to it. */
export function SubMenu({
  icon,
  label,
  value,
  children,
}: {
  icon?: ReactNode
  label: string
  value?: string
  children: ReactNode
}) {
  return (
    <Radix.Sub>
      <Radix.SubTrigger className={clsx(itemClass, 'data-[state=open]:bg-ink-3')}>
        {icon && <span className="text-ink-9">{icon}</span>}
        <span className="flex-1">{label}</span>
        {value && <span className="text-ink-9">{value}</span>}
        <ChevronRight size={16} aria-hidden className="text-ink-9" />
      </Radix.SubTrigger>
      <Radix.Portal>
        <Radix.SubContent
          sideOffset={8}
          alignOffset={-7}
          collisionPadding={8}
          className="z-30 min-w-44 animate-appear rounded-card border border-ink-5 bg-surface p-1.5 shadow-float"
        >
          {children}
        </Radix.SubContent>
      </Radix.Portal>
    </Radix.Sub>
  )
}

export const MenuLine = () => <Radix.Separator className="mx-1.5 my-1.5 h-px bg-ink-5" />

export function MenuHeading({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-3 py-2 text-12 text-ink-9">{children}</Radix.Label>
}
