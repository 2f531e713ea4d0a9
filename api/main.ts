import { loadProgram } from './platform/loadProgram.ts'

await loadProgram('main', () => import('./startRoles.ts'))
