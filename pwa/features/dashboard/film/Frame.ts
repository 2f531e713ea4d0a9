import type { Rgb } from '../../../ui/fieldImage.ts'

/** Signed distance to the edge of a shape in pixels, negative inside. */
type Shape = (x: number, y: number) => number

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** A picture of the film, with anti-aliased shapes. */
export class Frame {
  /** Red, green and blue of each pixel, row by row. */
  readonly pixels: Buffer
  readonly #width: number
  readonly #height: number

  constructor({ width, height, ground }: { width: number; height: number; ground: Rgb }) {
    this.#width = width
    this.#height = height
    this.pixels = Buffer.alloc(width * height * 3)
    for (let at = 0; at < this.pixels.length; at++) this.pixels[at] = ground[at % 3]!
  }

  #paint(color: Rgb, opacity: number, { left, top, right, bottom }: Box, shape: Shape): void {
    for (let y = Math.max(0, Math.floor(top - 1)); y < Math.min(this.#height, bottom + 1); y++)
      for (let x = Math.max(0, Math.floor(left - 1)); x < Math.min(this.#width, right + 1); x++) {
        const alpha = Math.min(1, Math.max(0, 0.5 - shape(x + 0.5, y + 0.5))) * opacity
        if (alpha <= 0) continue
        const at = (y * this.#width + x) * 3
        for (const channel of [0, 1, 2] as const)
          this.pixels[at + channel] = Math.round(this.pixels[at + channel]! * (1 - alpha) + color[channel] * alpha)
      }
  }

  disc(color: Rgb, x: number, y: number, radius: number, opacity = 1): void {
    if (radius > 0) this.#paint(color, opacity, around(x, y, radius), (px, py) => Math.hypot(px - x, py - y) - radius)
  }

  /** A ring; only a share of it, clockwise from the top, if given. */
  ring(color: Rgb, x: number, y: number, radius: number, width: number, opacity = 1, share = 1): void {
    this.#paint(color, opacity, around(x, y, radius + width), (px, py) => {
      const turn = (Math.atan2(px - x, y - py) / (2 * Math.PI) + 1) % 1
      if (share < 1 && turn > share) return 1
      return Math.abs(Math.hypot(px - x, py - y) - radius) - width / 2
    })
  }

  line(color: Rgb, points: readonly (readonly [x: number, y: number])[], width: number, opacity = 1): void {
    const xs = points.map(([x]) => x)
    const ys = points.map(([, y]) => y)
    const box = {
      left: Math.min(...xs) - width,
      top: Math.min(...ys) - width,
      right: Math.max(...xs) + width,
      bottom: Math.max(...ys) + width,
    }
    this.#paint(color, opacity, box, (px, py) => {
      let nearest = Infinity
      for (const [at, [x1, y1]] of points.entries()) {
        const [x2, y2] = points[at + 1] ?? [x1, y1]
        const length = (x2 - x1) ** 2 + (y2 - y1) ** 2
        const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / length))
        nearest = Math.min(nearest, Math.hypot(px - x1 - share * (x2 - x1), py - y1 - share * (y2 - y1)))
      }
      return nearest - width / 2
    })
  }
}

const around = (x: number, y: number, radius: number): Box => ({
  left: x - radius,
  top: y - radius,
  right: x + radius,
  bottom: y + radius,
})
