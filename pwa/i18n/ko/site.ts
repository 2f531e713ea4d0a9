import { combine } from './combine.ts'
import { account } from './account.ts'
import { app } from './app.ts'
import { dashboard } from './dashboard.ts'
import { purchase } from './purchase.ts'
import { server } from './server.ts'
import { status } from './status.ts'
import { withdrawal } from './withdrawal.ts'

/** The texts of all pages but the back office. */
export const { texts, repeated } = combine(app, dashboard, purchase, account, withdrawal, status)
export const serverTexts = server
