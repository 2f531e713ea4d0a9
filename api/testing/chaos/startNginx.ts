import { mkdirSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { spawnBound } from '../../dev/spawnBound.ts'
import { findTool } from '../findTool.ts'
import type { ReverseProxy } from './startProxy.ts'

/** nginx before the web processes, configured as the README says. */
export async function startNginx({
  port,
  targets,
  folder,
}: {
  port: number
  targets: readonly number[]
  folder: string
}): Promise<ReverseProxy> {
  const home = path.join(folder, 'nginx')
  mkdirSync(home, { recursive: true })
  const file = path.join(home, 'nginx.conf')
  writeFileSync(file, configure({ port, targets, home }))
  const nginx = spawnBound(findTool('nginx'), ['-p', home, '-c', file, '-e', path.join(home, 'error.log')], {
    deathSignal: 'TERM',
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(nginx, 'exit')
  return {
    async stop() {
      nginx.kill('SIGQUIT')
      await ended
    },
  }
}

const configure = ({ port, targets, home }: { port: number; targets: readonly number[]; home: string }): string => `
daemon off;
worker_processes 1;
pid ${home}/nginx.pid;
error_log ${home}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${home}/body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  upstream web {
${targets.map((target) => `    server 127.0.0.1:${target} max_fails=1 fail_timeout=1s;`).join('\n')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://web;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host:$server_port;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_connect_timeout 2s;
      proxy_read_timeout 8s;
    }
  }
}
`
