import { expect, test } from 'vitest'
import { readOrder } from './readOrder.ts'

const running = '{"level":"info","message":"Running: web"}'
const decided = (arrivals: string) => `{"level":"info","message":"Reservations decided","requests":1,"arrivals":"${arrivals}"}`

test('requests decided in their order are not overtaken, also over a restart', () => {
  const log = [running, decided('3-5,8'), decided('9'), running, decided('1-2')].join('\n')
  expect(readOrder(log)).toEqual({ requests: 7, batches: 3, overtaken: 0 })
})

test('a request that is decided after a later one is found, within a batch and between two', () => {
  const log = [running, decided('3,5,4'), decided('2,6')].join('\n')
  expect(readOrder(log)).toEqual({ requests: 5, batches: 2, overtaken: 2 })
})
