import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createClient } from "@hey-api/openapi-ts";
import { build } from "esbuild";
import openapiTS, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { createSample } from "../../../../lib/sample.test-support";
import { type Container, createContainer } from "../../container";
import { readEnv } from "../../env";
import { answerRest } from "./answer-rest";
import { describeApi } from "./openapi";
import { ROUTES } from "./routes";

const run = promisify(execFile);
const TSC = path.resolve("node_modules/typescript-7/bin/tsc");
const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const ECHO = {
  name: "echo",
  description: "Returns its arguments",
  type: "function",
  handler: "echo",
  parameters,
  implementation: { type: "builtin", handler: "echo" },
};

/** The program of a user of `openapi-typescript` and `openapi-fetch`. */
const FETCH_PROGRAM = `import createClient from "openapi-fetch";
import type { components, paths } from "./schema";
type Execution = components["schemas"]["Execution"];
const client = createClient<paths>({ baseUrl: process.env.BASE_URL ?? "" });
const { data: page } = await client.GET("/tools", { params: { query: { limit: 10 } } });
const names: string[] = page?.items.map(({ name }) => name) ?? [];
const body = { arguments: { text: "hi", nested: { list: [1, null] } }, waitMs: 10_000 };
const { data } = await client.POST("/tools/{name}/execute", { params: { path: { name: "echo" } }, body });
const execution: Execution | undefined = data;
const { error } = await client.GET("/executions/{id}", { params: { path: { id: "exec_none" } } });
const { data: found } = await client.GET("/executions", {
  params: { query: { status: ["succeeded", "failed"], since: "2020-01-01T00:00:00Z" } },
});
const created = await client.POST("/toolsets", { body: { name: "mail", tools: ["echo"], overrides: [] } });
const removed = await client.DELETE("/toolsets/{name}", { params: { path: { name: "mail" } } });
const code: string | undefined = error?.error.code;
console.log(JSON.stringify({ names, result: execution?.result, code, count: found?.items.length,
  statuses: [created.response.status, removed.response.status] }));
`;

/** The same with the client of \`@hey-api/openapi-ts\`. */
const SDK_PROGRAM = `import { client } from "./sdk/client.gen";
import { deleteToolsetsName, getExecutions, getExecutionsId, getTools, postToolsets, postToolsNameExecute } from "./sdk";
import type { Execution } from "./sdk";
client.setConfig({ baseUrl: process.env.BASE_URL ?? "" });
const { data: page } = await getTools({ query: { limit: 10 } });
const names: string[] = page?.items.map(({ name }) => name) ?? [];
const body = { arguments: { text: "hi", nested: { list: [1, null] } }, waitMs: 10_000 };
const { data } = await postToolsNameExecute({ path: { name: "echo" }, body });
const execution: Execution | undefined = data;
const { error } = await getExecutionsId({ path: { id: "exec_none" } });
const { data: found } = await getExecutions({ query: { status: ["succeeded", "failed"], since: "2020-01-01T00:00:00Z" } });
const created = await postToolsets({ body: { name: "mail", tools: ["echo"], overrides: [] } });
const removed = await deleteToolsetsName({ path: { name: "mail" } });
const code: string | undefined = error?.error.code;
console.log(JSON.stringify({ names, result: execution?.result, code, count: found?.items.length,
  statuses: [created.response?.status, removed.response?.status] }));
`;

/** The same with the client of `openapi-python-client`. */
const PYTHON_PROGRAM = `import json, os
from toolroom_client import Client
from toolroom_client.api.executions import get_executions, get_executions_id
from toolroom_client.api.tools import get_tools, post_tools_name_execute
from toolroom_client.api.toolsets import delete_toolsets_name, post_toolsets
from toolroom_client.models import GetExecutionsStatusItem, PostToolsNameExecuteBody, PostToolsetsBody
client = Client(base_url=os.environ["BASE_URL"])
names = [tool.name for tool in get_tools.sync(client=client, limit=10).items]
call = {"arguments": {"text": "hi", "nested": {"list": [1, None]}}, "waitMs": 10_000}
called = post_tools_name_execute.sync("echo", client=client, body=PostToolsNameExecuteBody.from_dict(call))
execution = get_executions_id.sync(called.id, client=client)
missing = get_executions_id.sync("exec_none", client=client)
status = [GetExecutionsStatusItem.SUCCEEDED, GetExecutionsStatusItem.FAILED]
found = get_executions.sync(client=client, status=status, since="2020-01-01T00:00:00Z", pinned=False)
toolset = PostToolsetsBody.from_dict({"name": "mail", "tools": ["echo"], "overrides": []})
created = post_toolsets.sync_detailed(client=client, body=toolset)
removed = delete_toolsets_name.sync_detailed("mail", client=client)
print(json.dumps({"names": names, "result": execution.result, "code": missing.error.code, "count": len(found.items),
  "statuses": [created.status_code, removed.status_code]}))
`;
const PYTHON_GENERATOR = "openapi-python-client@0.29.1";
/** The generator is no package of npm or Debian. */
const HAS_UVX = await run("uvx", ["--version"]).then(
  () => true,
  () => false,
);

const STRICT = {
  compilerOptions: {
    target: "ES2022",
    module: "ESNext",
    moduleResolution: "Bundler",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: false,
    noEmit: true,
    types: ["node"],
    skipLibCheck: true,
  },
  include: ["."],
};

let container: Container;
let url: string;
let folder: string;
beforeAll(async () => {
  const data = await mkdtemp(path.join(os.tmpdir(), "toolroom-rest-clients-"));
  const config = path.join(data, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [ECHO] } }));
  const environment = { DATABASE_URL: `file:${data}/rest.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config };
  container = await createContainer(readEnv(environment));
  // In the project, so that the programs find what they import.
  const cache = path.resolve("node_modules/.cache");
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(path.join(cache, "rest-clients-"));
  const server = createServer((request, response) => {
    void serve(container, request).then(async (answer) => {
      response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  return async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
});
afterAll(() => container.close());

async function serve({ services, stopping }: Container, incoming: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = new Headers(
    Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
  const request = new Request(`http://127.0.0.1${incoming.url}`, {
    method: incoming.method ?? "GET",
    headers,
    ...body,
  });
  return await answerRest(request, {
    createContext: async () => ({
      actor: LOCAL_PRINCIPAL,
      refusal: null,
      sessionId: null,
      source: "api",
      services,
      stopping,
      recheck: async () => LOCAL_PRINCIPAL,
    }),
    readQuota: async () => null,
    version: "1",
    logger: { error: () => undefined, debug: () => undefined },
  });
}

/** Compiles everything in a folder in strict mode, then runs the program. */
async function compileAndRun(place: string, program: string): Promise<unknown> {
  await writeFile(path.join(place, "program.ts"), program);
  await writeFile(path.join(place, "tsconfig.json"), JSON.stringify(STRICT));
  const compiled = await run(process.execPath, [TSC, "-p", place]).catch((error: { stdout?: string }) => error);
  expect(compiled.stdout).toBe("");
  const outfile = path.join(place, "program.mjs");
  const entryPoints = [path.join(place, "program.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", logLevel: "error" });
  const { stdout } = await run(process.execPath, [outfile], { env: { ...process.env, BASE_URL: url } });
  return JSON.parse(stdout);
}

const EXPECTED = {
  names: ["echo"],
  result: { echo: { text: "hi", nested: { list: [1, null] } } },
  code: "NOT_FOUND",
  count: expect.any(Number),
  statuses: [201, 204],
};

describe("the document of the REST API (both in continuous integration, elsewhere one)", { timeout: 300_000 }, () => {
  const isSampled = createSample(2);
  it.skipIf(!isSampled())(
    "gives openapi-typescript and openapi-fetch a client that compiles in strict mode and works",
    async () => {
      const place = path.join(folder, "fetch");
      await mkdir(place);
      const document = JSON.parse(JSON.stringify(describeApi(ROUTES, "1"))) as Parameters<typeof openapiTS>[0];
      const schema = astToString(await openapiTS(document));
      await writeFile(path.join(place, "schema.ts"), schema);
      expect(schema).not.toMatch(/arguments\??: Record<string, never>/);
      expect(await compileAndRun(place, FETCH_PROGRAM)).toEqual(EXPECTED);
    },
  );

  it.skipIf(!isSampled())("gives @hey-api/openapi-ts a client that compiles in strict mode and works", async () => {
    const place = path.join(folder, "sdk");
    await mkdir(place);
    const input = path.join(place, "openapi.json");
    await writeFile(input, JSON.stringify(describeApi(ROUTES, "1")));
    await createClient({ input, output: path.join(place, "sdk"), logs: { level: "silent" } });
    expect(await compileAndRun(place, SDK_PROGRAM)).toEqual(EXPECTED);
  });

  it.skipIf(!HAS_UVX)(
    "gives openapi-python-client, where uvx runs it, a client without warnings that works",
    async () => {
      const place = path.join(folder, "python");
      await mkdir(place);
      const document = path.join(place, "openapi.json");
      await writeFile(document, JSON.stringify(describeApi(ROUTES, "1")));
      const settings = path.join(place, "settings.json");
      // The generator knows no type of a file with a JSON value on each line.
      await writeFile(settings, JSON.stringify({ content_type_overrides: { "application/jsonl": "text/plain" } }));
      const output = path.join(place, "client");
      const paths = ["--path", document, "--config", settings, "--output-path", output];
      const generated = await run("uvx", [PYTHON_GENERATOR, "generate", "--fail-on-warning", ...paths]);
      expect(`${generated.stdout}${generated.stderr}`).not.toMatch(/warning/i);
      const program = path.join(output, "program.py");
      await writeFile(program, PYTHON_PROGRAM);
      const environment = { ...process.env, BASE_URL: url, PYTHONPATH: output };
      const { stdout } = await run("uvx", ["--from", PYTHON_GENERATOR, "python", program], { env: environment });
      expect(JSON.parse(stdout)).toEqual(EXPECTED);
    },
  );
});
