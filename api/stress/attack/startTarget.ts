import { MikroORM } from '@mikro-orm/postgresql'
import { freePort } from '#api/dev/freePort.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { Administrator } from '#api/entities/Administrator.ts'
import { rateLimits } from '#api/platform/http/limitRate.ts'
import { mainScript, type Parts } from '../bench/startParts.ts'
import { startProgram } from '../bench/startProgram.ts'
import { startRewardChain } from '#api/testing/chains.ts'
import { makeUser, TEST_PASSWORD_HASH } from '#api/testing/factories.ts'
import { openSession } from '#api/testing/openSession.ts'

export interface Target {
  url: string
  /**
   * The headers of a caller who comes through the proxy with TLS, with sessions of a user and an administrator, so that a scanner can call
   * every endpoint. Without TLS the product sets no cookie in production.
   */
  headers: Record<string, string>
  /** Returns the number of answered requests from the product's metrics. */
  countRequests(): Promise<number>
  stop(): Promise<void>
}

/** Starts the product as in production, set up, with accounts. Rate limits are raised, because they would block a scanner. */
export async function startTarget({ webEnv, postgres }: Parts): Promise<Target> {
  const [port, healthPort] = [await freePort(), await freePort()]
  const limits = Object.keys(rateLimits).map((name) => `${name}=1000000000/60`)
  const rewardChain = await startRewardChain()
  const program = await startProgram(mainScript, ['web'], {
    env: {
      ...webEnv(port),
      HEALTH_PORT: String(healthPort),
      TRUSTED_PROXIES: '1',
      RATE_LIMITS: limits.join(' '),
      XCR_RPC_URLS: rewardChain.url,
      XCR_TOKEN_ADDRESS: rewardChain.token,
    },
  })

  const orm = new MikroORM(ormOptions({ url: postgres.url }))
  const em = () => orm.em.fork()
  await sql(em(), `update installation set set_up_at = now(), admin_allowed_ips = '{127.0.0.1}'`)
  const { user } = await makeUser(em(), {
    email: 'holder@example.com',
    otp: true,
    wallet: '0x00000000000000000000000000000000000000aa',
  })
  const fork = em()
  const administrator = fork.create(Administrator, {
    id: newId(),
    username: 'admin',
    passwordHash: TEST_PASSWORD_HASH,
    createdAt: new Date(),
  })
  await fork.flush()
  const sessions = [
    await openSession(em(), { realm: 'user', accountId: user.id }),
    await openSession(em(), { realm: 'admin', accountId: administrator.id }),
  ]
  await sql(em(), `update web_sessions set expires_at = now() + interval '1 day'`)
  await orm.close(true)
  // In production session cookies have the prefix `__Host-`.
  const cookie = sessions.map((session) => `__Host-${session}`).join('; ')
  return {
    url: `http://127.0.0.1:${port}`,
    headers: { 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Proto': 'https', Cookie: cookie },
    async countRequests() {
      const measures = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()
      const counts = [...measures.matchAll(/^http_request_duration_seconds_count\{.*\} (\d+)$/gm)]
      return counts.reduce((sum, [, count]) => sum + Number(count), 0)
    },
    async stop() {
      await program.stop()
      await rewardChain.stop()
    },
  }
}
