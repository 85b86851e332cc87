import { authorize } from "./accounts";

/** Calls a procedure of a running server as any HTTP client would. */
export async function callApi<T>(
  baseUrl: string,
  procedure: string,
  input: unknown,
  method: "GET" | "POST" = "POST",
): Promise<T> {
  const url = new URL(`/api/trpc/${procedure}`, baseUrl);
  if (method === "GET") url.searchParams.set("input", JSON.stringify({ json: input }));
  const response = await fetch(url, {
    method,
    headers: { ...authorize(baseUrl), ...(method === "POST" ? { "content-type": "application/json" } : {}) },
    ...(method === "POST" ? { body: JSON.stringify({ json: input }) } : {}),
  });
  const body = (await response.json()) as { result?: { data: { json: T } }; error?: { json: { message: string } } };
  if (!body.result) throw new Error(body.error?.json.message ?? `${procedure} answered ${response.status}`);
  return body.result.data.json;
}

export interface Ran {
  id: string;
  status: string;
  resultText: string | null;
}

export function runTool(baseUrl: string, tool: string, args: object, more: object = {}): Promise<Ran> {
  return callApi<Ran>(baseUrl, "executions.run", { name: tool, argumentsText: JSON.stringify(args), ...more });
}

/** A mock tool whose only point is its parameters. */
export function mockTool(name: string, parameters: object, response: unknown = { ok: true }): string {
  return JSON.stringify({
    name,
    description: `A tool for the journey ${name}`,
    type: "function",
    handler: name,
    parameters,
    implementation: { type: "mock", mock_response: response },
  });
}
