import clsx from 'clsx'

/** Stands in the shape of what is coming. Give it a width and a height. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={clsx('block animate-sweep rounded-small bg-ink-4', className)} />
}
