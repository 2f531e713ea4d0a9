import { useEffect, useRef } from 'react'

/** How far something is, 0 to 100. */
export function ProgressBar({ value, label, valueText }: { value: number; label: string; valueText?: string }) {
  const bar = useRef<HTMLDivElement>(null)
  const percent = Math.min(100, Math.max(0, value))
  useEffect(() => {
    if (bar.current) bar.current.style.transform = `scaleX(${percent / 100})`
  }, [percent])
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent * 100) / 100}
      aria-valuetext={valueText}
      className="h-1.5 overflow-hidden rounded-full bg-ink-4"
    >
      <div ref={bar} className="h-full origin-left rounded-full bg-accent transition-transform duration-200" />
    </div>
  )
}
