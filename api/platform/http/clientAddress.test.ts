import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { clientAddress, networkOf, normaliseIp } from './clientAddress.ts'

test.each([
  ['10.0.0.7', '10.0.0.7'],
  [' 10.0.0.7 ', '10.0.0.7'],
  ['::ffff:10.0.0.7', '10.0.0.7'],
  ['::FFFF:a00:7', '10.0.0.7'],
  ['0:0:0:0:0:ffff:10.0.0.7', '10.0.0.7'],
  ['::1', '127.0.0.1'],
  ['0:0::0:1', '127.0.0.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['10.0.0.300', undefined],
  ['10.0.0', undefined],
  ['010.0.0.7', undefined],
  ['10.0.0.7:80', undefined],
  ['10.0.0.0/8', undefined],
  ['localhost', undefined],
  ['', undefined],
])('%j is normalized to %j', (text, address) => {
  expect(normaliseIp(text)).toBe(address)
})

test.each([
  ['10.0.0.7', '10.0.0.7'],
  ['unknown', 'unknown'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::2:0:0:1', '2001:db8:0:0::/64'],
  ['::5', '0:0:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
])('%j is rate limited as %j', (address, network) => {
  expect(normaliseIp(address) ?? 'unknown').toBe(address)
  expect(networkOf(address)).toBe(network)
})

test('the networks of a site are one for what is counted per site', () => {
  expect(networkOf('2001:db8:1:2::1', 48)).toBe('2001:db8:1::/48')
  expect(networkOf('10.0.0.7', 48)).toBe('10.0.0.7')
})

test.each([
  ['203.0.113.9:4711', '203.0.113.9'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['anything at all', 'unknown'],
])('the forwarded address %j is read as %s', (forwardedFor, address) => {
  const request = { headers: { 'x-forwarded-for': forwardedFor }, socket: { remoteAddress: '::ffff:127.0.0.1' } }
  expect(clientAddress(request as unknown as IncomingMessage, 1)).toBe(address)
})
