import { loadProgram } from '#api/platform/loadProgram.ts'

/**
 * `npm run admin -- <command>`: commands for the operators of the servers. Exit codes: 0 for success, 1 for failure, 2 for wrong
 * usage.
 */
await loadProgram('operator', () => import('./runCommand.ts'))
