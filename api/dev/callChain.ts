interface Answer {
  result?: unknown
  error?: { message: string }
}

/** Calls a JSON-RPC method of an embedded chain. For anvil's methods, which viem's clients do not type. */
export async function callChain<Result = unknown>(url: string, method: string, params: readonly unknown[] = []): Promise<Result> {
  const [result] = await callChainBatch<Result>(url, [{ method, params }])
  return result as Result
}

/** Calls several methods in one batch. Returns the results in the order of the calls. */
export async function callChainBatch<Result = unknown>(
  url: string,
  calls: readonly { method: string; params: readonly unknown[] }[],
): Promise<Result[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
  })
  const answers = (await response.json()) as (Answer & { id: number })[]
  return calls.map(({ method }, id) => {
    const answer = answers.find((one) => one.id === id)
    if (!answer || answer.error) throw new Error(`${method}: ${answer?.error?.message ?? 'no answer'}`)
    return answer.result as Result
  })
}
