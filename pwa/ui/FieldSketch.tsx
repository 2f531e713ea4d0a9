import clsx from 'clsx'
import { type ReactNode, useId } from 'react'
import { BLOCK_SIZE, BLOCK_GAP, BLOCK_SIDE } from './fieldImage.ts'

const BLOCK_SPAN = BLOCK_SIDE + BLOCK_GAP

interface FieldSketchProps {
  total: number
  sold: number
  blocksAcross: number
  className?: string
}

/** The whole field as SVG before a script can paint it, with the same points in the same places. */
export function FieldSketch({ total, sold, blocksAcross, className }: FieldSketchProps) {
  const [free, taken] = [useId(), useId()]
  const blockRows = Math.ceil(total / BLOCK_SIZE / blocksAcross)
  const [width, height] = [blocksAcross * BLOCK_SPAN - BLOCK_GAP, blockRows * BLOCK_SPAN - BLOCK_GAP]
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={clsx('absolute inset-0 size-full', className)}
    >
      <Points id={free} className="fill-(--point)" radius={0.26} />
      <Points id={taken} className="fill-ink-11" radius={0.37} />
      <rect width={width} height={height} fill={`url(#${free})`} />
      {soldAreas(sold, blocksAcross).map(({ x, y, width: across, height: down }) => (
        <rect key={`${x} ${y}`} x={x} y={y} width={across} height={down} fill={`url(#${taken})`} />
      ))}
    </svg>
  )
}

/** A block of points as a repeating pattern. */
function Points({ id, className, radius }: { id: string; className: string; radius: number }): ReactNode {
  return (
    <defs>
      <pattern id={`${id}point`} width={1} height={1} patternUnits="userSpaceOnUse">
        <circle cx={0.5} cy={0.5} r={radius} className={className} />
      </pattern>
      <pattern id={id} width={BLOCK_SPAN} height={BLOCK_SPAN} patternUnits="userSpaceOnUse">
        <rect width={BLOCK_SIDE} height={BLOCK_SIDE} fill={`url(#${id}point)`} />
      </pattern>
    </defs>
  )
}

interface Area {
  x: number
  y: number
  width: number
  height: number
}

/** The first numbers as few rectangles: rows of blocks, blocks, rows of a block, points of a row. */
function soldAreas(sold: number, blocksAcross: number): Area[] {
  const blocks = Math.floor(sold / BLOCK_SIZE)
  const [blockRow, blockColumn] = [Math.floor(blocks / blocksAcross), blocks % blocksAcross]
  const left = sold % BLOCK_SIZE
  const [rows, points] = [Math.floor(left / BLOCK_SIDE), left % BLOCK_SIDE]
  const [x, y] = [blockColumn * BLOCK_SPAN, blockRow * BLOCK_SPAN]
  return [
    { x: 0, y: 0, width: blocksAcross * BLOCK_SPAN, height: blockRow * BLOCK_SPAN },
    { x: 0, y, width: blockColumn * BLOCK_SPAN, height: BLOCK_SIDE },
    { x, y, width: BLOCK_SIDE, height: rows },
    { x, y: y + rows, width: points, height: 1 },
  ].filter(({ width, height }) => width > 0 && height > 0)
}
