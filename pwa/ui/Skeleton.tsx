import clsx from 'clsx'

/** A placeholder for loading content. Give it a width and a height. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={clsx('block max-w-full animate-sweep rounded-small bg-ink-4', className)} />
}
