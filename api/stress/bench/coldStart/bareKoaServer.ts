import Koa from 'koa'

/** A Koa that does nothing: what a cold start costs at least. */
const app = new Koa()
app.use((ctx) => {
  ctx.body = { message: 'Hello' }
})
app.listen(Number(process.argv[2]))
