import { loadProgram } from '#api/platform/loadProgram.ts'

await loadProgram('audit', () => import('./printAudit.ts'))
