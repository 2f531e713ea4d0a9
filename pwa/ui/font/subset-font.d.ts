declare module 'subset-font' {
  /** The part of the package's API in use; it ships no types. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: {
      targetFormat: 'woff2'
      variationAxes: Record<string, { min: number; max: number }>
      keepFeatures: string[]
    },
  ): Promise<Buffer>
}
