import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { findTool } from './findTool.ts'

export interface Certificates {
  ca: string
  certificate: string
  key: string
}

/** Creates an authority, and a certificate of a server with these names and addresses. */
export function makeCertificates(
  folder: string,
  { names, addresses }: { names: readonly string[]; addresses: readonly string[] },
): Certificates {
  const [ca, caKey, certificate, key] = ['ca.crt', 'ca.key', 'server.crt', 'server.key'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string, string]
  const alternatives = [...names.map((name) => `DNS:${name}`), ...addresses.map((address) => `IP:${address}`)].join()
  const common = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  openssl(...common, '-subj', '/CN=Test authority', '-keyout', caKey, '-out', ca)
  const signed = ['-CA', ca, '-CAkey', caKey, '-subj', '/CN=database', '-keyout', key, '-out', certificate]
  openssl(...common, ...signed, '-addext', `subjectAltName=${alternatives}`, '-addext', 'basicConstraints=critical,CA:FALSE')
  return { ca, certificate, key }
}

function openssl(...parameters: string[]): void {
  const { status, stderr } = spawnSync(findTool('openssl'), parameters, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`)
}
