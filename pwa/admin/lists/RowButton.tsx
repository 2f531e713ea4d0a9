import type { ComponentProps } from 'react'
import { Button } from '#pwa/ui/Button.tsx'

/** An action of one row, large enough to tap on a phone. `label` names the row for screen readers. */
export const RowButton = ({ label, ...rest }: ComponentProps<typeof Button> & { label: string }) => (
  <Button
    variant="secondary"
    {...rest}
    aria-label={label}
    className="whitespace-nowrap max-md:flex-1 md:min-h-7! md:rounded-small! md:px-2! md:text-12!"
  />
)
