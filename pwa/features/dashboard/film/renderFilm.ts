import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { layOutField, type Mark, paintField, type Rgb } from '../../../ui/fieldImage.ts'

// Draws the dashboard's film from the field: `node pwa/features/dashboard/film/renderFilm.ts`. Needs ffmpeg (with libvpx-vp9, libx264
// and libwebp). The results are committed; run it after changing the field's marks or colours.

const FRAME_RATE = 24
const DURATION = 10
const WIDTH = 1_280
const HEIGHT = 480
const LIMIT = 300_000

/** Six blocks across and two down: near enough to tell single nodes apart, and the middle is what a phone shows. */
const layout = layOutField({ width: WIDTH, first: 1, count: 1_200, blocksAcross: 6 })
const top = Math.floor((HEIGHT - layout.height) / 2)

/** The next ten free nodes fill one row in the middle of the picture; the one after them is the bonus. */
const SOLD = 840
const BOUGHT = 10
const BONUS = SOLD + BOUGHT + 1
/** Others buy meanwhile. */
const SOLD_LATER = 890

type Palette = Record<'ground' | 'free' | 'sold' | 'mine', Rgb>

/** From 0 to 1 between two moments, slow at both ends. */
function ramp(time: number, from: number, to: number): number {
  const share = Math.min(1, Math.max(0, (time - from) / (to - from)))
  return share * share * (3 - 2 * share)
}

/** Steps between two looks: fewer stamps to cut, and none of them is seen. */
const STEPS = 24

function makeMarkOf(palette: Palette) {
  const stamps = new Map<string, Mark>()
  const between = (a: Rgb, b: Rgb, share: number): Rgb => [
    Math.round(a[0] + (b[0] - a[0]) * share),
    Math.round(a[1] + (b[1] - a[1]) * share),
    Math.round(a[2] + (b[2] - a[2]) * share),
  ]
  const keep = (key: string, make: () => Mark) => {
    let mark = stamps.get(key)
    if (!mark) stamps.set(key, (mark = make()))
    return mark
  }

  /** How far a node is lit, how far it is one's own, and how strongly the reward passes it. */
  function point(lit: number, own: number, glow: number): Mark {
    const [a, b, c] = [lit, own, glow].map((share) => Math.round(share * STEPS) / STEPS) as [number, number, number]
    return keep(`${a} ${b} ${c}`, () => ({
      colour: between(between(palette.free, palette.sold, a), palette.mine, Math.max(b, c * 0.9)),
      diameter: Math.min(1, 0.46 + 0.28 * a + 0.18 * b + 0.2 * c * (1 - b)),
    }))
  }

  function ring(shown: number, glow: number): Mark {
    const [a, c] = [shown, glow].map((share) => Math.round(share * STEPS) / STEPS) as [number, number]
    return keep(`ring ${a} ${c}`, () => ({
      colour: between(palette.free, palette.mine, a),
      diameter: 0.46 + 0.54 * a,
      ...(a > 0.3 && { ring: 0.2 + 0.3 * c }),
    }))
  }

  return (number: number, time: number): Mark => {
    const at = number - 1
    const column = (Math.floor(at / 100) % layout.blocksAcross) * 10 + (at % 10)
    const row = Math.floor(at / 100 / layout.blocksAcross) * 10 + (Math.floor(at / 10) % 10)
    // The reward comes over everything that is lit, once.
    const distance = (time - 5.6) * 24 - column + row * 0.35
    const glow = Math.exp(-(distance * distance) / 32)
    // All that was bought goes dark again at the end: the last frame leads into the first.
    const stays = 1 - ramp(time, 9.1, 9.9)
    if (number <= SOLD) return point(1, 0, glow)
    if (number <= SOLD + BOUGHT) {
      const start = 0.5 + (number - SOLD) * 0.11
      const own = ramp(time, start, start + 0.5) * stays
      return point(own, own, glow * own)
    }
    if (number === BONUS) {
      const shown = ramp(time, 2.4, 3.2) * stays
      return ring(shown, glow * shown)
    }
    if (number <= SOLD_LATER) {
      const start = 3.6 + (number - BONUS) * 0.032
      const lit = ramp(time, start, start + 0.4) * stays
      return point(lit, 0, glow * lit)
    }
    return point(0, 0, 0)
  }
}

async function readPalette(theme: 'light' | 'dark'): Promise<Palette> {
  const css = await readFile(new URL('../../../ui/tokens.css', import.meta.url), 'utf8')
  const block = css.slice(css.indexOf(theme === 'light' ? ':root {' : ':root[data-theme="dark"] {'))
  const colour = (name: string): Rgb => {
    const value = Number.parseInt(new RegExp(`--${name}: #([0-9a-f]{6})`).exec(block)![1]!, 16)
    return [value >> 16, (value >> 8) & 255, value & 255]
  }
  return { ground: colour('surface'), free: colour('point'), sold: colour('ink-11'), mine: colour('accent') }
}

/** One frame as RGB on the ground's colour. */
function drawFrame({ ground }: Palette, markOf: (number: number, time: number) => Mark, time: number): Buffer {
  const field = paintField(layout, (number) => markOf(number, time))
  const frame = Buffer.alloc(WIDTH * HEIGHT * 3)
  for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
    const inField = pixel - top * WIDTH
    const alpha = inField >= 0 && inField < WIDTH * layout.height ? field[inField * 4 + 3]! / 255 : 0
    for (const channel of [0, 1, 2] as const) {
      const ink = alpha > 0 ? field[inField * 4 + channel]! : 0
      frame[pixel * 3 + channel] = Math.round(ground[channel] * (1 - alpha) + ink * alpha)
    }
  }
  return frame
}

async function ffmpeg(args: string[], frames: Iterable<Buffer>): Promise<void> {
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${WIDTH}x${HEIGHT}`, '-r', String(FRAME_RATE), '-i', '-']
  const child = spawn('ffmpeg', ['-y', '-loglevel', 'error', ...input, ...args], { stdio: ['pipe', 'inherit', 'inherit'] })
  const exit = once(child, 'exit')
  for (const frame of frames) if (!child.stdin.write(frame)) await once(child.stdin, 'drain')
  child.stdin.end()
  const [code] = (await exit) as [number | null]
  if (code !== 0) throw new Error(`ffmpeg ${args.join(' ')} ended with ${code}`)
}

const colours = [
  '-vf',
  'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p',
  '-colorspace',
  'bt709',
  '-color_primaries',
  'bt709',
  '-color_trc',
  'bt709',
]

for (const theme of ['light', 'dark'] as const) {
  const palette = await readPalette(theme)
  const markOf = makeMarkOf(palette)
  const frames = Array.from({ length: FRAME_RATE * DURATION }, (_, at) => drawFrame(palette, markOf, at / FRAME_RATE))
  const file = (ending: string) => new URL(`field-${theme}.${ending}`, import.meta.url).pathname

  await ffmpeg(
    [...colours, '-c:v', 'libvpx-vp9', '-crf', '45', '-b:v', '0', '-row-mt', '1', '-g', '240', '-an', file('webm')],
    frames,
  )
  await ffmpeg(
    [
      ...colours,
      '-c:v',
      'libx264',
      '-profile:v',
      'high',
      '-preset',
      'veryslow',
      '-tune',
      'animation',
      '-crf',
      '27',
      '-g',
      '240',
      '-movflags',
      '+faststart',
      '-an',
      file('mp4'),
    ],
    frames,
  )
  // Ten nodes bought and their bonus: what is seen where nothing moves.
  await ffmpeg(
    ['-frames:v', '1', '-c:v', 'libwebp', '-lossless', '1', '-compression_level', '6', file('webp')],
    [frames[4 * FRAME_RATE]!],
  )

  for (const ending of ['webm', 'mp4', 'webp']) {
    const { size } = await stat(file(ending))
    console.log(`field-${theme}.${ending} ${size}`)
    if (size > LIMIT) throw new Error(`field-${theme}.${ending} is larger than ${LIMIT} bytes.`)
  }
}
