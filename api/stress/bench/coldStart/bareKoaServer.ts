import Koa from 'koa'

/** A minimal Koa server, as the lower bound of a cold start. */
const app = new Koa()
app.use((ctx) => {
  ctx.body = { message: 'Hello' }
})
app.listen(Number(process.argv[2]))
