import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { servePwa } from './servePwa.ts'

test('the installed app has the name of the installation', async () => {
  const dist = mkdtempSync(path.join(os.tmpdir(), 'page-'))
  writeFileSync(path.join(dist, 'index.html'), '<p>the page</p>')
  for (const [file, color] of [
    ['manifest.webmanifest', '#000'],
    ['manifest-light.webmanifest', '#fff'],
  ] as const) {
    const manifest = JSON.stringify({ id: '/', name: 'XCR Nodes', short_name: 'XCR Nodes', theme_color: color })
    writeFileSync(path.join(dist, file), manifest)
    writeFileSync(path.join(dist, `${file}.gz`), 'the packed manifest')
  }
  const serve = servePwa({ 'x-content-type-options': 'nosniff' }, { brandName: 'Acme "Nodes"', dist })
  const server = createServer((incoming, response) => serve(incoming, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    rmSync(dist, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  for (const [file, color] of [
    ['manifest.webmanifest', '#000'],
    ['manifest-light.webmanifest?v=1', '#fff'],
  ] as const) {
    const answer = await fetch(`${url}/${file}`, { headers: { 'accept-encoding': 'gzip', connection: 'close' } })
    expect(await answer.json()).toEqual({ id: '/', name: 'Acme "Nodes"', short_name: 'Acme "Nodes"', theme_color: color })
    expect(answer.headers.get('content-type')).toBe('application/manifest+json')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const etag = answer.headers.get('etag')!
    const again = await fetch(`${url}/${file}`, { headers: { 'if-none-match': `W/${etag}`, connection: 'close' } })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
  }
  for (const file of ['manifest.webmanifest', 'index.html', 'purchase']) {
    const posted = await fetch(`${url}/${file}`, { method: 'POST', headers: { connection: 'close' } })
    expect([posted.status, posted.headers.get('allow'), await posted.text()]).toEqual([405, 'GET, HEAD', 'Method not allowed.'])
    expect(posted.headers.get('x-content-type-options')).toBe('nosniff')
    const head = await fetch(`${url}/${file}`, { method: 'HEAD', headers: { connection: 'close' } })
    expect([head.status, await head.text()]).toEqual([200, ''])
  }
})
