import clsx from 'clsx'
import { Fragment, useState } from 'react'
import { type AmountFormat, formatAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'

const sizes = {
  14: 'text-14',
  16: 'text-16',
  20: 'text-20 font-strong',
  28: 'text-28 font-strong',
  40: 'text-40 font-strong',
} as const

/** Sizes for phone and desktop, smaller where many digits share a line with a title, or the text is enlarged and its card is not. */
const fittingSizes = {
  medium: {
    short: 'text-20 desk:text-28 @max-[15rem]:text-20!',
    long: 'text-20 lg:text-28 @max-[15rem]:text-20!',
    endless: 'text-16 lg:text-20 @max-[15rem]:text-16!',
  },
  large: {
    short: 'text-28 desk:text-40 @max-[15rem]:text-28!',
    long: 'text-20 lg:text-28 @max-[15rem]:text-20!',
    endless: 'text-16 lg:text-20 @max-[15rem]:text-16!',
  },
} as const

function sizeOf(size: keyof typeof sizes | keyof typeof fittingSizes, { length }: string): string {
  if (size !== 'medium' && size !== 'large') return sizes[size]
  return clsx('font-strong', fittingSizes[size][length <= 10 ? 'short' : length <= 14 ? 'long' : 'endless'])
}

interface AmountProps extends Pick<AmountFormat, 'minDecimals' | 'maxDecimals'> {
  /** In the token's smallest unit. */
  value: bigint
  unit?: string
  size?: keyof typeof sizes | keyof typeof fittingSizes
  className?: string
}

/** Large digits, small unit. If decimals are cut off, a tap shows all of them. */
export function Amount({ value, unit, size = 16, minDecimals = 0, maxDecimals = 8, className }: AmountProps) {
  const [isExact, setExact] = useState(false)
  const short = formatAmount(value, { minDecimals, maxDecimals, grouped: true })
  const exact = formatAmount(value, { minDecimals, grouped: true })
  const digits = isExact ? exact : short
  const figure = (
    <>
      <Digits text={digits} />
      {unit && (
        <span className={clsx('font-normal tracking-normal text-ink-9', size === 14 || size === 16 ? 'text-12' : 'text-14')}>
          {/* A real space instead of a margin, because screen readers and copied text include it. */}
          {` ${unit}`}
        </span>
      )}
    </>
  )
  const look = clsx('figures', sizeOf(size, digits), className)
  if (short === exact)
    return (
      <span translate="no" className={look}>
        {figure}
      </span>
    )
  return (
    <button
      type="button"
      translate="no"
      title={exact}
      aria-label={`${digits}${unit ? ` ${unit}` : ''}, ${t(isExact ? 'shorten' : 'show all decimals')}`}
      onClick={() => setExact(!isExact)}
      className={clsx(look, '[text-align:inherit]')}
    >
      {figure}
    </button>
  )
}

/**
 * As a block of its own it moves to the next line as a whole. Only if it is wider than that line it wraps, after a comma; a long
 * fraction, which has none, wraps anywhere.
 */
function Digits({ text }: { text: string }) {
  const [first, ...groups] = text.split(',')
  return (
    <span className={clsx('inline-block max-w-full', text.length > 14 && 'wrap-anywhere')}>
      {first}
      {groups.map((group, at) => (
        // Two groups may be equal.
        // oxlint-disable-next-line react/no-array-index-key
        <Fragment key={at}>
          ,<wbr />
          {group}
        </Fragment>
      ))}
    </span>
  )
}
