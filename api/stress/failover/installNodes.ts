import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '#api/dev/freePort.ts'
import { makeCertificates } from '#api/testing/makeCertificates.ts'
import { ClusterNode } from './ClusterNode.ts'
import type { Network } from './Network.ts'
import { findPostgresUser, type PostgresUser } from './postgresUser.ts'

const samples = path.join(import.meta.dirname, '../../operations/deploy')

const NAMES = ['db1', 'db2', 'db3'] as const
/** Of PostgreSQL's superuser and of Patroni's API. */
export const PASSWORD = 'failover'

export interface Installed {
  nodes: readonly ClusterNode[]
  /** The configuration of HAProxy, and the ports that it listens on. */
  proxyFile: string
  ports: { readWrite: number; readOnly: number }
  /** The file with the certificate of the authority. */
  ca: string
  user: PostgresUser
}

/** Installs three machines and the proxy in front of them in a folder, with the sample files for operators. */
export async function installNodes(network: Network, folder: string): Promise<Installed> {
  const user = findPostgresUser()
  // PostgreSQL's user must be able to enter it.
  chmodSync(folder, 0o711)
  const machines = NAMES.map((name) => ({ name, ...network.addMachine() }))
  const certificates = makeCertificates(folder, {
    names: NAMES.map((name) => `${name}.example.com`),
    addresses: ['127.0.0.1', ...machines.map(({ address }) => address)],
  })
  chownSync(certificates.key, user.uid, user.gid)
  chmodSync(certificates.key, 0o600)
  const archive = path.join(folder, 'archive')
  mkdirSync(archive)
  chownSync(archive, user.uid, user.gid)
  const scripts = path.join(folder, 'backup')
  cpSync(path.join(samples, 'backup'), scripts, { recursive: true })

  const adapt = (text: string): string =>
    [
      ...machines.map(({ name, address }) => [`${name}.example.com`, address] as const),
      ['/opt/xcr/api/operations/deploy/backup', scripts] as const,
      ['/var/backups/xcr/wal', archive] as const,
      ['/etc/patroni/server.crt', certificates.certificate] as const,
      ['/etc/patroni/server.key', certificates.key] as const,
      ['/etc/patroni/ca.crt', certificates.ca] as const,
    ].reduce((adapted, [from, to]) => adapted.replaceAll(from, to), text)
  const sample = (file: string) => adapt(readFileSync(path.join(samples, file), 'utf8'))

  const configFile = path.join(folder, 'patroni.yml')
  writeFileSync(configFile, sample('patroni/patroni.yml'))
  const nodes = machines.map(({ name, machine, address }) => {
    const home = path.join(folder, name)
    mkdirSync(home)
    chownSync(home, user.uid, user.gid)
    const disk = path.join(home, 'disk')
    // The samples are those of db1.
    const own = (file: string) => ({
      ...readEnv(sample(file).replaceAll(machines[0]!.address, address).replaceAll('=db1\n', `=${name}\n`)),
    })
    const everyone = readEnv(sample('patroni/patroni.env')).PATRONI_ETCD_HOSTS!
    const etcdEnv = {
      ...own('patroni/etcd.env'),
      ETCD_INITIAL_CLUSTER: readEnv(sample('patroni/etcd.env')).ETCD_INITIAL_CLUSTER!,
    }
    return new ClusterNode({
      name,
      machine,
      address,
      network,
      folder: home,
      configFile,
      user,
      etcdEnv: { ...etcdEnv, ETCD_DATA_DIR: path.join(home, 'etcd') },
      patroniEnv: {
        ...own('patroni/patroni.env'),
        PATRONI_ETCD_HOSTS: everyone,
        PATRONI_POSTGRESQL_DATA_DIR: path.join(disk, 'data'),
        PATRONI_POSTGRESQL_PGPASS: path.join(home, 'pgpass'),
        PATRONI_SUPERUSER_PASSWORD: PASSWORD,
        PATRONI_REPLICATION_PASSWORD: PASSWORD,
        PATRONI_RESTAPI_PASSWORD: PASSWORD,
      },
    })
  })
  const ports = { readWrite: await freePort(), readOnly: await freePort() }
  const proxyFile = path.join(folder, 'haproxy.cfg')
  writeFileSync(
    proxyFile,
    sample('haproxy/haproxy.cfg')
      .replace('127.0.0.1:5000\n    option', `127.0.0.1:${ports.readWrite}\n    option`)
      .replace('127.0.0.1:5001\n    balance', `127.0.0.1:${ports.readOnly}\n    balance`),
  )
  return { nodes, proxyFile, ports, ca: certificates.ca, user }
}

/** The variables of an environment file. */
const readEnv = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z]\w*)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))
