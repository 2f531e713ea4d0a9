import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { spawnBound } from '#api/dev/spawnBound.ts'
import { findTool } from './findTool.ts'

const samples = path.join(import.meta.dirname, '../operations/deploy/nginx')

export interface NginxOptions {
  port: number
  /** Ports of the web processes. */
  targets: readonly number[]
  /** The parent of nginx's folder. */
  folder: string
  /** Limits concurrent connections, including those to the web processes. */
  maxConnections?: number
}

export interface Nginx {
  pid: number
  stop(): Promise<void>
}

/** Starts the distribution's nginx in front of the web processes, with the sample files for operators. */
export async function startNginx({ port, targets, folder, maxConnections = 4_096 }: NginxOptions): Promise<Nginx> {
  const home = path.join(folder, 'nginx')
  mkdirSync(home, { recursive: true })
  cpSync(path.join(samples, 'xcr-proxy.conf'), path.join(home, 'xcr-proxy.conf'))
  const file = path.join(home, 'nginx.conf')
  writeFileSync(file, configure({ port, targets, home, maxConnections }))
  const nginx = spawnBound(findTool('nginx'), ['-p', home, '-c', file, '-e', path.join(home, 'error.log')], {
    deathSignal: 'TERM',
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(nginx, 'exit').then(([code]) => code as number | null)
  while (!(await isListening(port))) {
    if (nginx.exitCode !== null) throw new Error(`nginx did not start:\n${readFileSync(path.join(home, 'error.log'), 'utf8')}`)
    await delay(20)
  }
  return {
    pid: nginx.pid!,
    async stop() {
      nginx.kill('SIGTERM')
      await ended
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Uses the upstreams of the sample; `server` differs from the sample only in having no TLS. */
const configure = ({
  port,
  targets,
  home,
  maxConnections,
}: Required<Pick<NginxOptions, 'maxConnections'>> & Omit<NginxOptions, 'folder'> & { home: string }): string => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
worker_rlimit_nofile ${maxConnections + 1_000};
pid ${home}/nginx.pid;
error_log ${home}/error.log;
events { worker_connections ${maxConnections}; }
http {
  access_log off;
  client_body_temp_path ${home}/body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  proxy_cache_path ${home}/register ${readCacheParameters()};
${readUpstreams(targets.map((target) => `    server 127.0.0.1:${target} max_fails=0;\n`).join(''))}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    include ${home}/xcr-proxy.conf;
  }
}
`

/** Returns the parameters of the sample's `proxy_cache_path` after the folder. */
function readCacheParameters(): string {
  const [, parameters] = /^proxy_cache_path \S+ (.*);$/m.exec(readFileSync(path.join(samples, 'xcr.conf'), 'utf8')) ?? []
  if (parameters === undefined) throw new Error('The sample has no cache.')
  return parameters
}

/** Returns the blocks `upstream` of the sample with other servers. */
function readUpstreams(servers: string): string {
  const upstreams = readFileSync(path.join(samples, 'xcr.conf'), 'utf8').match(/^upstream [^]*?^}/gm) ?? []
  return upstreams.map((upstream) => upstream.replace(/(^ *server .*\n)+/m, servers)).join('\n')
}
