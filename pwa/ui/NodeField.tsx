import clsx from 'clsx'
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { DEFAULT_NODE_SUPPLY } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { BLOCK_SIZE, cellOf, type FieldLayout, layOutField, type Mark, numberAt, paintField, type Rgb } from './fieldImage.ts'
import { FieldSketch } from './FieldSketch.tsx'
import { useThemeName } from './useThemeName.ts'

interface NodeFieldProps {
  total: number
  /** How many are sold: the lowest numbers are given first. */
  sold: number
  /** Numbers of one's own nodes. */
  mine?: readonly number[]
  /** Those of them that were a bonus. */
  bonus?: readonly number[]
  /** How many are about to be bought: the next free ones breathe. */
  about?: number
  /** The whole field, or the stretch of it around the next free node. */
  view?: 'whole' | 'stretch'
  className?: string
}

const BLOCKS_ACROSS = 20
const BLOCKS_ACROSS_WIDE = 25
/** Less than two CSS pixels for each of the points across. */
const NARROW = 430
/** One row of blocks is at most so high, whatever its width: see layOut. */
const STRETCH_HEIGHT = 'min-h-[61px]'

interface Size {
  /** Device pixels. */
  width: number
  ratio: number
}

/** The product's signature: every node there is, one point each, drawn from real numbers. */
export function NodeField({ total, sold, mine = none, bonus = none, about = 0, view = 'whole', className }: NodeFieldProps) {
  const frame = useRef<HTMLDivElement>(null)
  const still = useRef<HTMLCanvasElement>(null)
  const breathing = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState<Size>({ width: 0, ratio: 1 })
  // The place of the whole field is known before it is drawn: nothing below it moves.
  const isReserved = view === 'whole' && total === DEFAULT_NODE_SUPPLY
  const [pointed, setPointed] = useState<{ number: number; x: number; y: number } | null>(null)
  const theme = useThemeName()

  const { ownNumbers, bonusNumbers } = useNumbers(mine, bonus)
  const layout = useMemo(() => layOut(size, { total, sold, about, view }), [size, total, sold, about, view])

  useEffect(() => {
    const element = frame.current
    if (!element || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => {
      // Where a point would be less than two pixels it is painted at twice its size, and the browser makes it smaller.
      const least = element.clientWidth < NARROW ? 2 : 1
      const ratio = Math.min(3, Math.max(least, window.devicePixelRatio || 1))
      const width = Math.floor(element.clientWidth * ratio)
      setSize((before) => (before.width === width && before.ratio === ratio ? before : { width, ratio }))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // The colours are read from the page, so a change of theme repaints.
  useEffect(() => {
    if (!layout || !still.current) return
    const marks = readMarks(still.current, layout.pitch)
    draw(still.current, layout, (number) => {
      if (bonusNumbers.has(number)) return marks.bonus
      if (ownNumbers.has(number)) return marks.mine
      if (number <= sold) return marks.sold
      // These breathe on a canvas of their own.
      return number <= sold + about ? undefined : marks.free
    })
  }, [layout, sold, about, ownNumbers, bonusNumbers, theme])

  useEffect(() => {
    if (!layout || !breathing.current) return
    const marks = readMarks(breathing.current, layout.pitch)
    draw(breathing.current, layout, (number) => (number > sold && number <= sold + about ? marks.about : undefined))
  }, [layout, sold, about, theme])

  function point(event: PointerEvent<HTMLDivElement>) {
    if (!layout || event.pointerType !== 'mouse') return
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const number = numberAt(layout, (event.clientX - left) * size.ratio, (event.clientY - top) * size.ratio)
    if (number === undefined) return setPointed(null)
    if (number === pointed?.number) return
    const cell = cellOf(layout, number)
    setPointed({ number, x: (cell.x + layout.pitch / 2) / size.ratio, y: cell.y / size.ratio })
  }

  const stateOf = (number: number) => {
    if (bonusNumbers.has(number)) return t('yours, bonus')
    if (ownNumbers.has(number)) return t('yours')
    if (number <= sold) return t('sold')
    return t(number <= sold + about ? 'next' : 'available')
  }

  const field = (
    <div
      ref={frame}
      role="img"
      aria-label={describeField({ total, sold, mine, bonus, about })}
      className={clsx(
        'relative',
        isReserved ? 'aspect-2/1 @min-[900px]:aspect-25/8' : view === 'stretch' && STRETCH_HEIGHT,
        className,
      )}
      onPointerMove={point}
      onPointerLeave={() => setPointed(null)}
    >
      {!layout && isReserved && (
        <>
          <FieldSketch total={total} sold={sold} blocksAcross={BLOCKS_ACROSS} className="@min-[900px]:hidden" />
          <FieldSketch total={total} sold={sold} blocksAcross={BLOCKS_ACROSS_WIDE} className="hidden @min-[900px]:block" />
        </>
      )}
      {/* Of its size before it is painted: nothing below it moves. */}
      <canvas ref={still} {...sizeOf(layout)} className={clsx('w-full', layout ? 'block' : 'hidden')} />
      <canvas
        ref={breathing}
        {...sizeOf(layout)}
        className={clsx('absolute inset-0 w-full', layout ? 'block' : 'hidden', about > 0 && 'animate-breathe')}
      />
      {pointed && <Pointer {...pointed} state={stateOf(pointed.number)} />}
    </div>
  )
  return isReserved ? <div className="@container">{field}</div> : field
}

const none: readonly number[] = []

const sizeOf = (layout: FieldLayout | undefined) => layout && { width: layout.width, height: layout.height }

function Pointer({ number, x, y, state }: { number: number; x: number; y: number; state: string }) {
  const label = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const element = label.current
    if (!element) return
    const room = element.parentElement!.clientWidth - element.offsetWidth
    element.style.transform = `translate(${Math.min(Math.max(x - element.offsetWidth / 2, 0), room)}px, ${y - element.offsetHeight - 8}px)`
  }, [x, y])
  return (
    <span
      ref={label}
      aria-hidden
      className="figures pointer-events-none absolute top-0 left-0 rounded-small bg-ink-12 px-2 py-1 text-12 whitespace-nowrap text-ink-1"
    >
      {formatCount(number)} <span className="text-ink-6">{state}</span>
    </span>
  )
}

/** The field in words. */
export function describeField({
  total,
  sold,
  mine,
  bonus,
  about,
}: Required<Pick<NodeFieldProps, 'total' | 'sold' | 'mine' | 'bonus' | 'about'>>) {
  const facts = [t('{count} nodes', { count: total })]
  if (sold > 0 || mine.length === 0)
    facts.push(t('{count} sold', { count: sold }), t('{count} available', { count: Math.max(0, total - sold) }))
  if (mine.length > 0) facts.push(t('{count} yours', { count: mine.length }))
  if (bonus.length > 0) facts.push(t('{count} of them a bonus', { count: bonus.length }))
  if (about > 0) facts.push(t('{count} about to be yours', { count: about }))
  return t('Field of {facts}.', { facts: facts.join(', ') })
}

/** Sets that stay the same object while the numbers do, however often the caller makes a new list of them. */
function useNumbers(mine: readonly number[], bonus: readonly number[]) {
  const mineKey = mine.join()
  const bonusKey = bonus.join()
  return useMemo(() => ({ ownNumbers: numbersIn(mineKey), bonusNumbers: numbersIn(bonusKey) }), [mineKey, bonusKey])
}

const numbersIn = (key: string): ReadonlySet<number> => new Set(key ? key.split(',').map(Number) : [])

function layOut(
  { width, ratio }: Size,
  { total, sold, about, view }: { total: number; sold: number; about: number; view: 'whole' | 'stretch' },
): FieldLayout | undefined {
  if (width === 0 || total < 1) return undefined
  const wide = width / ratio
  if (view === 'whole')
    return layOutField({ width, first: 1, count: total, blocksAcross: wide < 900 ? BLOCKS_ACROSS : BLOCKS_ACROSS_WIDE })

  // A stretch in which single points can be told apart, with the next free node in its first third.
  const blocksAcross = Math.max(6, Math.round(wide / 56))
  const blocks = Math.ceil(total / BLOCK_SIZE)
  const frontier = Math.floor(Math.min(sold, total - 1) / BLOCK_SIZE)
  const needed = Math.ceil(((sold % BLOCK_SIZE) + about) / BLOCK_SIZE)
  const firstBlock = Math.max(0, Math.min(frontier - Math.floor(blocksAcross / 3), blocks - blocksAcross))
  const rows = Math.min(Math.max(1, Math.ceil((frontier - firstBlock + needed) / blocksAcross)), 4)
  const first = firstBlock * BLOCK_SIZE + 1
  return layOutField({ width, first, count: Math.min(rows * blocksAcross * BLOCK_SIZE, total - first + 1), blocksAcross })
}

/** On a small screen a point is a few pixels of light: the free ones need more of them to be seen. */
const SMALL_PITCH = 6

function readMarks(element: Element, pitch: number): Record<'free' | 'sold' | 'mine' | 'bonus' | 'about', Mark> {
  const style = getComputedStyle(element)
  const ink = (name: string): Rgb => {
    const value = Number.parseInt(style.getPropertyValue(name).trim().slice(1), 16)
    return [value >> 16, (value >> 8) & 255, value & 255]
  }
  return {
    free: { colour: ink('--point'), diameter: pitch < SMALL_PITCH ? 0.56 : 0.46 },
    sold: { colour: ink('--ink-11'), diameter: 0.74 },
    mine: { colour: ink('--accent'), diameter: 0.92 },
    bonus: { colour: ink('--accent'), diameter: 1, ring: 0.2 },
    about: { colour: ink('--accent'), diameter: 0.92 },
  }
}

function draw(canvas: HTMLCanvasElement, layout: FieldLayout, markOf: (number: number) => Mark | undefined): void {
  canvas.width = layout.width
  canvas.height = layout.height
  canvas.getContext('2d')?.putImageData(new ImageData(paintField(layout, markOf), layout.width, layout.height), 0, 0)
}
