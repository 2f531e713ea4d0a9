import clsx from 'clsx'
import { type MouseEvent, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { describeField, describeWindow } from './describeField.ts'
import { BLOCK_SIZE, cellOf, type FieldLayout, layOutField, numberAt } from './fieldImage.ts'
import { drawField, readMarks } from './drawField.ts'
import { WINDOW_SIZE } from './fieldWindow.ts'
import { FieldSketch } from './FieldSketch.tsx'
import { useThemeName } from './useThemeName.ts'

interface NodeFieldProps {
  total: number
  /** Number of nodes sold; the lowest numbers are sold first. */
  sold: number
  /** Numbers of the user's own nodes. */
  mine?: readonly number[]
  /** Those of them that were bonus nodes. */
  bonus?: readonly number[]
  /** Number of nodes about to be bought: the next free ones are animated. */
  about?: number
  /** First number of the window to show; without it, one row of blocks around the next free node. */
  first?: number
  /** The node whose details are shown beside the field. */
  picked?: number
  /** Called with the number of the tapped node. */
  onPick?: (number: number) => void
}

const BLOCKS_ACROSS = 5
const BLOCKS_ACROSS_WIDE = 10
/** Below this width a window is two rows of blocks, from it on one. In CSS pixels, as in the classes. */
const WIDE_LAYOUT_WIDTH = 700
/** Maximum height of a single row of blocks at any width: see layOut. */
const STRETCH_HEIGHT = 'min-h-[61px]'

interface Size {
  /** Device pixels. */
  width: number
  ratio: number
}

/** The product's signature: all nodes as points, from live data. */
export function NodeField({ total, sold, mine = none, bonus = none, about = 0, first, picked, onPick }: NodeFieldProps) {
  const frame = useRef<HTMLDivElement>(null)
  const still = useRef<HTMLCanvasElement>(null)
  const breathing = useRef<HTMLCanvasElement>(null)
  const size = useSize(frame)
  const [pointed, setPointed] = useState<number>()
  const theme = useThemeName()

  const { ownNumbers, bonusNumbers } = useStableNumbers(mine, bonus)
  const layout = useMemo(() => layOut(size, { total, sold, about, first }), [size, total, sold, about, first])

  // Paints before the canvas is shown: it replaces the sketch. Colors are read from the page's style, so a change of theme repaints.
  useLayoutEffect(() => {
    if (!layout || !still.current) return
    const marks = readMarks(still.current, layout.pitch)
    drawField(still.current, layout, (number) => {
      if (bonusNumbers.has(number)) return marks.bonus
      if (ownNumbers.has(number)) return marks.mine
      if (number <= sold) return marks.sold
      // The animated nodes have a canvas of their own.
      return number <= sold + about ? undefined : marks.free
    })
  }, [layout, sold, about, ownNumbers, bonusNumbers, theme])

  useLayoutEffect(() => {
    if (!layout || !breathing.current) return
    const marks = readMarks(breathing.current, layout.pitch)
    drawField(breathing.current, layout, (number) => (number > sold && number <= sold + about ? marks.about : undefined))
  }, [layout, sold, about, theme])

  function numberUnder(event: MouseEvent<HTMLDivElement>): number | undefined {
    if (!layout) return undefined
    const { left, top } = event.currentTarget.getBoundingClientRect()
    return numberAt(layout, (event.clientX - left) * size.ratio, (event.clientY - top) * size.ratio)
  }

  function pick(event: MouseEvent<HTMLDivElement>) {
    const number = numberUnder(event)
    if (number !== undefined) onPick?.(number)
  }

  const stateOf = (number: number) => {
    if (bonusNumbers.has(number)) return t('yours, bonus')
    if (ownNumbers.has(number)) return t('yours')
    if (number <= sold) return t('sold')
    return t(number <= sold + about ? 'next' : 'available')
  }

  const label =
    first === undefined
      ? describeField({ total, sold, mine, bonus, about })
      : describeWindow({ first, count: countFrom(first, total), sold, mine, bonus })
  const field = (
    // Pointer only: a page whose points can be picked also has buttons that step through them. A touch that scrolls ends without
    // a pointerup.
    <div
      ref={frame}
      role="img"
      aria-label={label}
      className={clsx(
        'relative',
        // Reserves its space before it is painted, to avoid layout shift.
        first === undefined ? STRETCH_HEIGHT : 'aspect-528/207 @min-[700px]:aspect-1063/100',
        onPick && 'cursor-pointer',
      )}
      onPointerUp={onPick && pick}
      onPointerMove={(event) => event.pointerType === 'mouse' && setPointed(numberUnder(event))}
      onPointerLeave={() => setPointed(undefined)}
    >
      {!layout &&
        first !== undefined &&
        [
          { blocksAcross: BLOCKS_ACROSS, className: '@min-[700px]:hidden' },
          { blocksAcross: BLOCKS_ACROSS_WIDE, className: 'hidden @min-[700px]:block' },
        ].map((sketch) => (
          <FieldSketch
            key={sketch.blocksAcross}
            total={countFrom(first, total)}
            sold={Math.min(Math.max(0, sold - first + 1), WINDOW_SIZE)}
            {...sketch}
          />
        ))}
      {/* Sized before it is painted, to avoid layout shift. */}
      <canvas ref={still} {...sizeOf(layout)} className={clsx('w-full', layout ? 'block' : 'hidden')} />
      <canvas
        ref={breathing}
        {...sizeOf(layout)}
        className={clsx('absolute inset-0 w-full', layout ? 'block' : 'hidden', about > 0 && 'animate-breathe')}
      />
      {layout && picked !== undefined && isShown(layout, picked) && <Ring {...placeOf(layout, picked, size.ratio)} />}
      {layout && pointed !== undefined && isShown(layout, pointed) && (
        <Pointer number={pointed} {...placeOf(layout, pointed, size.ratio)} state={stateOf(pointed)} />
      )}
    </div>
  )
  return first === undefined ? field : <div className="@container">{field}</div>
}

const none: readonly number[] = []

const sizeOf = (layout: FieldLayout | undefined) => layout && { width: layout.width, height: layout.height }

const countFrom = (first: number, total: number): number => Math.max(0, Math.min(WINDOW_SIZE, total - first + 1))

const isShown = ({ first, count }: FieldLayout, number: number): boolean => number >= first && number < first + count

/** Center and size of a point, in CSS pixels. */
function placeOf(layout: FieldLayout, number: number, ratio: number) {
  const { x, y } = cellOf(layout, number)
  const pitch = layout.pitch / ratio
  return { x: x / ratio + pitch / 2, y: y / ratio + pitch / 2, pitch }
}

function Ring({ x, y, pitch }: { x: number; y: number; pitch: number }) {
  const side = pitch + 6
  return (
    <span
      aria-hidden
      style={{ left: x - side / 2, top: y - side / 2, width: side, height: side }}
      className="pointer-events-none absolute rounded-full border-2 border-ink-12 bg-transparent outline-2 outline-ink-1"
    />
  )
}

function Pointer({ number, x, y, pitch, state }: { number: number; x: number; y: number; pitch: number; state: string }) {
  const label = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const element = label.current
    if (!element) return
    const room = element.parentElement!.clientWidth - element.offsetWidth
    element.style.transform = `translate(${Math.min(Math.max(x - element.offsetWidth / 2, 0), room)}px, ${y - pitch / 2 - element.offsetHeight - 8}px)`
  }, [x, y, pitch])
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

/** The size of an element, as it is now. */
function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, ratio: 1 })
  useEffect(() => {
    const observed = element.current
    if (!observed || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => {
      const ratio = Math.min(3, Math.max(1, window.devicePixelRatio || 1))
      const width = Math.floor(observed.clientWidth * ratio)
      setSize((before) => (before.width === width && before.ratio === ratio ? before : { width, ratio }))
    })
    observer.observe(observed)
    return () => observer.disconnect()
  }, [element])
  return size
}

/** Returns the same Sets while the numbers are equal, even if the caller passes new arrays. */
function useStableNumbers(mine: readonly number[], bonus: readonly number[]) {
  const mineKey = mine.join()
  const bonusKey = bonus.join()
  return useMemo(() => ({ ownNumbers: numbersIn(mineKey), bonusNumbers: numbersIn(bonusKey) }), [mineKey, bonusKey])
}

const numbersIn = (key: string): ReadonlySet<number> => new Set(key ? key.split(',').map(Number) : [])

function layOut(
  { width, ratio }: Size,
  { total, sold, about, first: windowFirst }: { total: number; sold: number; about: number; first: number | undefined },
): FieldLayout | undefined {
  if (width === 0 || total < 1) return undefined
  const wide = width / ratio
  if (windowFirst !== undefined)
    return layOutField({
      width,
      first: windowFirst,
      count: countFrom(windowFirst, total),
      blocksAcross: wide < WIDE_LAYOUT_WIDTH ? BLOCKS_ACROSS : BLOCKS_ACROSS_WIDE,
    })

  // A row of blocks large enough to tell points apart, with the next free node in its first third.
  const blocksAcross = Math.max(6, Math.round(wide / 56))
  const blocks = Math.ceil(total / BLOCK_SIZE)
  const frontier = Math.floor(Math.min(sold, total - 1) / BLOCK_SIZE)
  const needed = Math.ceil(((sold % BLOCK_SIZE) + about) / BLOCK_SIZE)
  const firstBlock = Math.max(0, Math.min(frontier - Math.floor(blocksAcross / 3), blocks - blocksAcross))
  const rows = Math.min(Math.max(1, Math.ceil((frontier - firstBlock + needed) / blocksAcross)), 4)
  const first = firstBlock * BLOCK_SIZE + 1
  return layOutField({ width, first, count: Math.min(rows * blocksAcross * BLOCK_SIZE, total - first + 1), blocksAcross })
}
