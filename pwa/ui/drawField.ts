import { type FieldLayout, type Mark, paintField, type Rgb } from './fieldImage.ts'

/** Free nodes are drawn larger at a small pitch, where they would otherwise be invisible. */
const SMALL_PITCH = 6

/** How each kind of node is drawn, in the colors of the page's theme. */
export function readMarks(element: Element, pitch: number): Record<'free' | 'sold' | 'mine' | 'bonus' | 'about', Mark> {
  const style = getComputedStyle(element)
  const ink = (name: string): Rgb => {
    const value = Number.parseInt(style.getPropertyValue(name).trim().slice(1), 16)
    return [value >> 16, (value >> 8) & 255, value & 255]
  }
  return {
    free: { color: ink('--point'), diameter: pitch < SMALL_PITCH ? 0.56 : 0.46 },
    sold: { color: ink('--ink-11'), diameter: 0.74 },
    mine: { color: ink('--accent'), diameter: 0.92 },
    bonus: { color: ink('--accent'), diameter: 1, ring: 0.2 },
    about: { color: ink('--accent'), diameter: 0.92 },
  }
}

/** Draws the nodes that have a mark. */
export function drawField(canvas: HTMLCanvasElement, layout: FieldLayout, markOf: (number: number) => Mark | undefined): void {
  canvas.width = layout.width
  canvas.height = layout.height
  canvas.getContext('2d')?.putImageData(new ImageData(paintField(layout, markOf), layout.width, layout.height), 0, 0)
}
