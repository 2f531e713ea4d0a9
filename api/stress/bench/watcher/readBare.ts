/**
 * Reads and parses the same logs without any other work, and prints the time in seconds.
 *
 * Arguments: the chain's URL, the filter as JSON, the last block, the number of blocks per request.
 */
const [url = '', filter = '{}', last = '0', size = '1'] = process.argv.slice(2)

const started = performance.now()
let logs = 0
for (let from = 1; from <= Number(last); from += Number(size)) {
  const to = Math.min(from + Number(size) - 1, Number(last))
  const range = { ...(JSON.parse(filter) as object), fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: from, method: 'eth_getLogs', params: [range] }),
  })
  const answer = JSON.parse(await response.text()) as { result: unknown[] }
  logs += answer.result.length
}
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1_000, logs }))
