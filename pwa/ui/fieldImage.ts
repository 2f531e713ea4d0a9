/** A block is ten rows of ten nodes, so ten bought nodes fill one row. */
export const BLOCK_SIDE = 10
export const BLOCK_SIZE = BLOCK_SIDE * BLOCK_SIDE
/** Minimum space between two blocks, in points; the remaining width is added to it. */
export const BLOCK_GAP = 0.7

/** All sizes in device pixels. The pitch is an integer, so that every point aligns with the pixel grid in the same way. */
export interface FieldLayout {
  /** First node number shown, 1-based, and number of nodes. */
  first: number
  count: number
  blocksAcross: number
  /** Distance from one point to the next. */
  pitch: number
  /** Space between two blocks in addition to the pitch. A fraction, rounded per block, so that the field fills its width. */
  gap: number
  left: number
  width: number
  height: number
}

export function layOutField({
  width,
  first,
  count,
  blocksAcross,
}: Pick<FieldLayout, 'width' | 'first' | 'count' | 'blocksAcross'>): FieldLayout {
  const pitch = Math.max(1, Math.floor(width / (blocksAcross * BLOCK_SIDE + (blocksAcross - 1) * BLOCK_GAP)))
  const free = width - blocksAcross * BLOCK_SIDE * pitch
  const gap = blocksAcross > 1 ? Math.max(0, Math.min(free / (blocksAcross - 1), pitch * 2)) : 0
  const used = blocksAcross * BLOCK_SIDE * pitch + (blocksAcross - 1) * gap
  const blockRows = Math.ceil(count / BLOCK_SIZE / blocksAcross)
  return {
    first,
    count,
    blocksAcross,
    pitch,
    gap,
    left: Math.floor((width - used) / 2),
    width,
    height: Math.max(1, blockRows * BLOCK_SIDE * pitch + Math.round((blockRows - 1) * gap)),
  }
}

/** Top left corner of a node's cell. */
export function cellOf({ first, blocksAcross, pitch, gap, left }: FieldLayout, number: number): { x: number; y: number } {
  const at = number - first
  const block = Math.floor(at / BLOCK_SIZE)
  const within = at % BLOCK_SIZE
  const blockColumn = block % blocksAcross
  const blockRow = Math.floor(block / blocksAcross)
  return {
    x: left + Math.round(blockColumn * (BLOCK_SIDE * pitch + gap)) + (within % BLOCK_SIDE) * pitch,
    y: Math.round(blockRow * (BLOCK_SIDE * pitch + gap)) + Math.floor(within / BLOCK_SIDE) * pitch,
  }
}

/** The node at a point of the field, if any. */
export function numberAt(
  { first, count, blocksAcross, pitch, gap, left }: FieldLayout,
  x: number,
  y: number,
): number | undefined {
  const span = BLOCK_SIDE * pitch + gap
  const blockColumn = Math.floor((x - left) / span)
  const blockRow = Math.floor(y / span)
  const column = Math.floor((x - left - blockColumn * span) / pitch)
  const row = Math.floor((y - blockRow * span) / pitch)
  if (blockColumn < 0 || blockColumn >= blocksAcross || blockRow < 0 || column >= BLOCK_SIDE || row >= BLOCK_SIDE)
    return undefined
  const at = (blockRow * blocksAcross + blockColumn) * BLOCK_SIZE + row * BLOCK_SIDE + column
  return at < count ? first + at : undefined
}

export type Rgb = readonly [red: number, green: number, blue: number]

/** How one kind of node is drawn. Kinds differ in size as well as color. Diameters are shares of the pitch. */
export interface Mark {
  color: Rgb
  diameter: number
  /** Draws a ring of this thickness instead of a disc. */
  ring?: number
}

/** Draws marks into RGBA pixels: twenty thousand copies of a few stamps, then a single canvas call. */
export function paintField(layout: FieldLayout, markOf: (number: number) => Mark | undefined) {
  const { width, height, pitch, first, count } = layout
  const pixels = new Uint8ClampedArray(width * height * 4)
  const rows = new Uint32Array(pixels.buffer)
  const stamps = new Map<Mark, Uint32Array>()
  for (let number = first; number < first + count; number++) {
    const mark = markOf(number)
    if (!mark) continue
    let stamp = stamps.get(mark)
    if (!stamp) stamps.set(mark, (stamp = cutStamp(mark, pitch)))
    const { x, y } = cellOf(layout, number)
    for (let row = 0; row < pitch; row++) rows.set(stamp.subarray(row * pitch, (row + 1) * pitch), (y + row) * width + x)
  }
  return pixels
}

/** One mark in its cell, antialiased with 8 × 8 samples per pixel. */
function cutStamp({ color: [red, green, blue], diameter, ring }: Mark, pitch: number): Uint32Array {
  const SAMPLES = 8
  const centre = pitch / 2
  const outer = (diameter * pitch) / 2
  const inner = ring === undefined ? -1 : Math.max(0, outer - Math.max(1, ring * pitch))
  const stamp = new Uint8ClampedArray(pitch * pitch * 4)
  for (let y = 0; y < pitch; y++) {
    for (let x = 0; x < pitch; x++) {
      let hits = 0
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
        const dx = x + ((sample % SAMPLES) + 0.5) / SAMPLES - centre
        const dy = y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES - centre
        const distance = Math.hypot(dx, dy)
        if (distance <= outer && distance > inner) hits++
      }
      stamp.set([red, green, blue, (hits / SAMPLES ** 2) * 255], (y * pitch + x) * 4)
    }
  }
  return new Uint32Array(stamp.buffer)
}
