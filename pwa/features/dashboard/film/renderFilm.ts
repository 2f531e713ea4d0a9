import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import type { Rgb } from '../../../ui/fieldImage.ts'
import { Frame } from './Frame.ts'

// Renders the dashboard's film: `node pwa/features/dashboard/film/renderFilm.ts`. Needs ffmpeg with libvpx-vp9, libx264 and
// libwebp. The results are committed; run it after changing the theme's colors or the rule of the first reward.

const FRAME_RATE = 24
const DURATION = 10
const WIDTH = 1_280
const HEIGHT = 480
const MAX_FILE_SIZE = 300_000

/** A time axis: each mark is 09:00 UTC of one day. Phones show the middle of the picture, from x 256 to 1,024. */
const AXIS = 318
const FIRST_MARK = 290
const DAY_WIDTH = 140
const MARKS = 6
/** The purchase is five hours after a mark, so the next mark is too early for a reward. In days, like the whole axis. */
const PAID_AT = 5 / 24
const ACTIVE_AT = PAID_AT + 1
const END = 4.9
/** Start and end of the film's movement along the axis, in seconds. */
const START_TIME = 0.5
const END_TIME = 8.7
const NODE_Y = 178
const NODE_RADIUS = 27

type Palette = Record<'ground' | 'line' | 'text' | 'soft' | 'mine', Rgb>

const xOf = (day: number): number => FIRST_MARK + day * DAY_WIDTH

/** From 0 to 1 between two times, eased at both ends. */
function ramp(time: number, from: number, to: number): number {
  const share = Math.min(1, Math.max(0, (time - from) / (to - from)))
  return share * share * (3 - 2 * share)
}

/** The digits of the three captions below the film, in cells of 10 × 16. */
const digits = {
  1: [
    [2, 4],
    [6, 1],
    [6, 15],
  ],
  2: [
    [1, 4],
    [2, 2],
    [5, 1],
    [8, 2],
    [9, 5],
    [8, 8],
    [1, 15],
    [9, 15],
  ],
  3: [
    [1, 3],
    [4, 1],
    [7, 1],
    [9, 4],
    [7, 7],
    [4, 7.5],
    [7, 8],
    [9, 11.5],
    [7, 15],
    [3, 15],
    [1, 13],
  ],
} as const

function drawFrame({ ground, line, text, soft, mine }: Palette, time: number): Buffer {
  const frame = new Frame({ width: WIDTH, height: HEIGHT, ground })
  const now = ((time - START_TIME) / (END_TIME - START_TIME)) * END
  // Everything fades out, so that the last frame loops into the first.
  const stays = 1 - ramp(time, 9.2, 9.9)
  const secondsToDays = END / (END_TIME - START_TIME)
  const since = (day: number, seconds: number) => ramp(now, day, day + seconds * secondsToDays) * stays

  frame.line(
    line,
    [
      [xOf(0) - 24, AXIS],
      [xOf(MARKS - 1) + 24, AXIS],
    ],
    2,
  )
  for (let day = 0; day < MARKS; day++)
    frame.line(
      line,
      [
        [xOf(day), AXIS - 13],
        [xOf(day), AXIS + 13],
      ],
      2,
    )

  const waited = Math.min(1, Math.max(0, now - PAID_AT))
  if (now > PAID_AT)
    frame.line(
      soft,
      [
        [xOf(PAID_AT), AXIS],
        [xOf(PAID_AT + waited), AXIS],
      ],
      12,
      stays,
    )
  frame.disc(mine, xOf(PAID_AT), AXIS, 9 * since(PAID_AT, 0.3))

  const number = (digit: keyof typeof digits, day: number, shown: number) =>
    frame.line(
      text,
      digits[digit].map(([x, y]) => [xOf(day) - 7.5 + x * 1.5, AXIS + 48 + y * 1.5] as const),
      3.2,
      shown,
    )
  number(1, PAID_AT, since(PAID_AT, 0.4))
  number(2, PAID_AT + 0.5, since(PAID_AT + 0.5, 0.4))
  number(3, 2, since(2, 0.4))

  for (let day = 0; day < MARKS; day++) {
    if (day > PAID_AT && day < ACTIVE_AT) {
      // Too early for a reward: the mark stays empty.
      frame.disc(ground, xOf(day), AXIS, 10 * since(day, 0.2))
      frame.ring(line, xOf(day), AXIS, 10, 3, since(day, 0.2))
    }
    if (day < ACTIVE_AT || day > END || now < day) continue
    const fallen = ramp(now, day, day + 0.45 * secondsToDays)
    frame.disc(mine, xOf(day), NODE_Y + (AXIS - NODE_Y) * fallen, 13, stays)
  }

  const x = xOf(Math.min(Math.max(now, 0), END))
  const glow = Math.max(...[2, 3, 4].map((day) => (now < day ? 0 : 1 - ramp(now, day, day + 0.6 * secondsToDays))))
  frame.line(
    line,
    [
      [x, NODE_Y + NODE_RADIUS + 14],
      [x, AXIS - 20],
    ],
    2,
    ramp(time, 0, 0.4) * stays * 0.8,
  )
  frame.disc(line, x, NODE_Y, 13, ramp(time, 0, 0.4) * stays * (1 - since(PAID_AT, 0.3)))
  frame.ring(soft, x, NODE_Y, NODE_RADIUS, 6, since(PAID_AT, 0.3))
  if (waited > 0) frame.ring(mine, x, NODE_Y, NODE_RADIUS, 6, stays, waited)
  frame.disc(mine, x, NODE_Y, 10 + (NODE_RADIUS - 7) * since(ACTIVE_AT, 0.35) + 6 * glow, since(PAID_AT, 0.3))
  return frame.pixels
}

async function readPalette(theme: 'light' | 'dark'): Promise<Palette> {
  const css = await readFile(new URL('../../../ui/tokens.css', import.meta.url), 'utf8')
  const block = css.slice(css.indexOf(theme === 'light' ? ':root {' : ':root[data-theme="dark"] {'))
  const color = (name: string): Rgb => {
    const value = Number.parseInt(new RegExp(`--${name}: #([0-9a-f]{6})`).exec(block)![1]!, 16)
    return [value >> 16, (value >> 8) & 255, value & 255]
  }
  return {
    ground: color('surface'),
    line: color('point'),
    text: color('ink-10'),
    soft: color('accent-line'),
    mine: color('accent'),
  }
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

const colors = [
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
  const frames = Array.from({ length: FRAME_RATE * DURATION }, (_, at) => drawFrame(palette, at / FRAME_RATE))
  const file = (ending: string) => new URL(`reward-${theme}.${ending}`, import.meta.url).pathname

  await ffmpeg(
    [...colors, '-c:v', 'libvpx-vp9', '-crf', '45', '-b:v', '0', '-row-mt', '1', '-g', '240', '-an', file('webm')],
    frames,
  )
  await ffmpeg(
    [
      ...colors,
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
  // The still image for reduced motion: two rewards are paid.
  await ffmpeg(
    ['-frames:v', '1', '-c:v', 'libwebp', '-lossless', '1', '-compression_level', '6', file('webp')],
    [frames[(6.2 * FRAME_RATE) | 0]!],
  )

  for (const ending of ['webm', 'mp4', 'webp']) {
    const { size } = await stat(file(ending))
    console.log(`reward-${theme}.${ending} ${size}`)
    if (size > MAX_FILE_SIZE) throw new Error(`reward-${theme}.${ending} is larger than ${MAX_FILE_SIZE} bytes.`)
  }
}
