import { errorText } from '#pwa/lib/errorText.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

interface ListErrorProps {
  /** Which list it is: "Failed to fetch purchases". */
  title: string
  error: Error
  onRetry: () => void
  isPending?: boolean
}

/** In the place of a list that could not be read. */
export function ListError({ title, error, onRetry, isPending }: ListErrorProps) {
  return (
    <Notice
      tone="error"
      title={title}
      action={
        <Button variant="secondary" onClick={onRetry} isPending={isPending ?? false}>
          Try again
        </Button>
      }
    >
      {errorText(error, 'The server did not answer as expected. Nothing was changed.')}
    </Notice>
  )
}
