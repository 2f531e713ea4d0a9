import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The browser for tests: CHROME_PATH, else an installed one, else the one packed in an npm package (Linux x64). */
export async function chromePath(): Promise<string> {
  const installed = [process.env.CHROME_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
    (file) => file && existsSync(file),
  )
  if (installed) return installed

  // It unpacks to the temporary folder; this keeps its 200 MB in the checkout.
  const cache = path.resolve(import.meta.dirname, '../../.cache/chromium')
  mkdirSync(cache, { recursive: true })
  process.env.TMPDIR = cache
  // It expects fonts where a cloud function has them, and crashes on Korean text without any.
  const fonts = path.join(cache, 'fontconfig')
  mkdirSync(fonts, { recursive: true })
  writeFileSync(path.join(fonts, 'fonts.conf'), describeFonts([path.join(cache, 'fonts'), '/usr/share/fonts'], fonts))
  process.env.FONTCONFIG_PATH = fonts
  const { default: chromium, inflate, setupLambdaEnvironment } = await import('@sparticuz/chromium')
  const packed = path.resolve(path.dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin')
  await inflate(path.join(packed, 'al2023.tar.br'))
  setupLambdaEnvironment(path.join(cache, 'al2023', 'lib'))
  return chromium.executablePath(packed)
}

const describeFonts = (folders: string[], cache: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((folder) => `  <dir>${folder}</dir>`).join('\n')}
  <cachedir>${cache}</cachedir>
</fontconfig>
`
