import { create } from 'qrcode'
import { t } from '#pwa/i18n/t.ts'

/** Quiet zone around the code, in modules; scanners need it. */
const MARGIN = 4

/** The page's address as a QR code for another device. Dark on light in both themes. */
export function PageQrCode({ href }: { href: string }) {
  const { modules } = create(href, { errorCorrectionLevel: 'M' })
  const path = Array.from({ length: modules.size }, (_, row) =>
    Array.from({ length: modules.size }, (__, column) =>
      modules.get(row, column) ? `M${column + MARGIN} ${row + MARGIN}h1v1h-1z` : '',
    ).join(''),
  ).join('')
  const size = modules.size + 2 * MARGIN
  return (
    <svg
      role="img"
      aria-label={t("QR code of this page's address")}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto size-44 rounded-small"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
