/** Progress from 0 to 100. */
export function ProgressBar({ value, label, valueText }: { value: number; label: string; valueText?: string }) {
  const percent = Math.min(100, Math.max(0, value))
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
      {/* The width is an attribute, because the Content-Security-Policy refuses styles in server-rendered markup. */}
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" className="block size-full">
        <rect width={percent} height={1} className="fill-accent transition-[width] duration-200" />
      </svg>
    </div>
  )
}
