/** A required port is in use by another program. */
export class PortBusyError extends Error {
  override name = 'PortBusyError'

  constructor({ port, part, variable }: { port: number; part: string; variable?: string | undefined }) {
    const remedy = variable ? `End that program, or set ${variable} to a free port.` : 'End that program, or choose another port.'
    super(`Port ${port} for ${part} is in use by another program. ${remedy}`)
  }
}
