import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Endpoint } from '#shared/contract/endpoint.ts'

/** Returns every endpoint of the contract. */
export async function readContract(): Promise<Endpoint[]> {
  const folder = path.join(import.meta.dirname, '../../shared/contract')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const modules = await Promise.all(files.map((file) => import(path.join(folder, file)) as Promise<Record<string, unknown>>))
  return modules.flatMap((module) => Object.values(module).filter(isEndpoint))
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value

export const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`
