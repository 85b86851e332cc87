import http from "node:http";
import { identify } from "./support/accounts";
import { runTool } from "./support/api";
import { expect, test } from "./support/fixtures";
import { collect, PLANTED, writeLeaks } from "./support/planted-secrets";

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** fetch would not let a test forge Host or Origin. */
function send(url: string, options: http.RequestOptions, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...identify(url), ...(options.headers as http.OutgoingHttpHeaders) };
    const request = http.request(url, { ...options, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const RUN = JSON.stringify({ json: { name: "echo", argumentsText: "{}" } });

test("ERR-03 a foreign Host, a foreign Origin and a body that is not JSON are refused, with the way out, and nothing runs", async ({
  sharedServer: { url },
}) => {
  const { id: latest } = await runTool(url, "echo", { message: "the latest" });
  const run = `${url}/api/trpc/executions.run`;
  const json = { "content-type": "application/json" };
  const rebinding = await send(`${url}/tools`, { headers: { host: "evil.example" } });
  expect(rebinding.status).toBe(421);
  expect(rebinding.body).toContain("TOOLROOM_ALLOWED_HOSTS");
  expect((await send(run, { method: "POST", headers: { ...json, origin: "https://evil.example" } }, RUN)).status).toBe(
    403,
  );
  expect((await send(run, { method: "POST", headers: { ...json, "sec-fetch-site": "cross-site" } }, RUN)).status).toBe(
    403,
  );
  expect((await send(run, { method: "POST", headers: { "content-type": "text/plain" } }, RUN)).status).toBe(415);
  // A header between the framework's own parts, which it answers with `{}`.
  const internal = await send(`${url}/api/v1/executions`, { headers: { "x-middleware-prefetch": "1" } });
  expect(JSON.parse(internal.body).items[0].id).toBe(latest);
  const large = await send(run, { method: "POST", headers: { ...json, "content-length": String(50_000_000) } }).catch(
    (error: Error) => error,
  );
  expect(large instanceof Error ? 413 : large.status).toBe(413);
  const listed = await send(
    `${url}/api/trpc/executions.list?input=${encodeURIComponent('{"json":{"filter":{}}}')}`,
    {},
  );
  expect(JSON.parse(listed.body).result.data.json.items[0].id).toBe(latest);
});

test("ERR-02 clients that offer HTTP/2 are served over HTTP/1.1; unknown methods and foreign names of the live stream are refused", async ({
  sharedServer: { url },
}) => {
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const h2c = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQ" };
  expect((await send(`${url}/tools`, { headers: h2c })).status).toBe(200);
  const ran = await send(`${url}/api/trpc/executions.run`, { method: "POST", headers: { ...json, ...h2c } }, RUN);
  expect(ran.status).toBe(200);
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  expect((await send(`${url}/mcp`, { method: "POST", headers: { ...json, ...h2c } }, ping)).status).toBe(400);
  const trace = await send(`${url}/`, { method: "TRACE" });
  expect([trace.status, trace.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect((await send(`${url}/api/live`, { headers: { host: "evil.example" } })).status).toBe(421);
  const kept = await send(`${url}/healthz`, { headers: { connection: "keep-alive" } });
  expect(kept.headers["keep-alive"]).toBe("timeout=75");
});

test("ERR-03 a client that disconnects in the middle of its body is one line of the log", async ({ startServer }) => {
  const { url, output } = await startServer();
  const headers = { "content-type": "application/json", "content-length": "1000", origin: url };
  const request = http.request(`${url}/api/trpc/tools.create`, { method: "POST", headers });
  request.on("error", () => undefined).write("{");
  const line = /^{.*"msg":"A client disconnected before its request was complete"}$/m;
  // The server has to have begun to read.
  await expect.poll(() => request.socket?.bytesWritten ?? 0).toBeGreaterThan(0);
  request.destroy();
  await expect.poll(output).toMatch(line);
  expect(output()).not.toContain("Error: aborted");
});

test("ERR-03 every page carries a strict policy with a fresh nonce, and text comes compressed", async ({
  sharedServer: { url },
}) => {
  const pages = await Promise.all([send(`${url}/tools`, {}), send(`${url}/tools`, {})]);
  const policies = pages.map(({ headers }) => String(headers["content-security-policy"]));
  for (const policy of policies) {
    expect(policy).toMatch(/script-src [^;]*'nonce-[^']+'/);
    expect(policy).not.toMatch(/unsafe-eval|unsafe-inline/);
    expect(policy).toContain("frame-ancestors 'none'");
  }
  expect(policies[0]).not.toBe(policies[1]);
  const script = /\/_next\/static\/[^"]+\.js/.exec(pages[0]?.body ?? "")?.[0];
  const compressed = await send(`${url}${script}`, { headers: { "accept-encoding": "gzip" } });
  expect(compressed.headers["content-encoding"]).toBe("gzip");
  expect(pages[0]?.headers["x-powered-by"]).toBeUndefined();
});

test("a browser that asks for the icon before a page's head is read gets it", async ({
  request,
  sharedServer: { url },
}) => {
  const icon = await request.get(`${url}/favicon.ico`);
  expect([icon.status(), icon.headers()["content-type"]]).toEqual([200, "image/svg+xml"]);
});

test("ERR-03 markup in arguments, results and errors is shown as text", async ({ page, sharedServer: { url } }) => {
  const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const { id } = await runTool(url, "echo", { message: markup });
  await page.goto(`${url}/executions/${id}`);
  await expect(page.getByText("onerror").first()).toBeVisible();
  await expect(page).toHaveTitle(/Executions · Toolroom/);
  expect(await page.locator("main img").count()).toBe(0);
});

test("a planted secret is in no page, answer, event or export, nor in the server's output and files", async ({
  startServer,
}, testInfo) => {
  test.setTimeout(120_000);
  const leaks = await writeLeaks(testInfo.outputPath("leaks"));
  const server = await startServer({
    env: {
      TOOLROOM_AUTH: "on",
      TOOLROOM_LOG_LEVEL: "debug",
      TOOLROOM_API_TOKEN: PLANTED.apiToken,
      VARIABLE_TOKEN: PLANTED.variable,
    },
  });
  const seen = await collect(server, leaks);
  const found = [...seen].flatMap(([where, text]) =>
    Object.entries(PLANTED).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${where}`] : [])),
  );
  // The database alone has command lines and addresses as they were entered.
  expect(found.filter((each) => !/^(?:option|query) in file toolroom\.db/.test(each))).toEqual([]);
  const texts = [...seen.values()].join("");
  expect(texts).toContain("[redacted]");
  expect(texts).toMatch(/\[masked:[0-9a-f]{12}\]/);
  expect(texts).toContain("password is masked: enter the value again");
  expect(seen.get("the server's output")).toContain("leaking__login");
  expect(seen.get("POST /tools/leaking__login/execute")).toContain('"status":"succeeded"');
  // Nothing was missed because a page or an answer was refused: only what needs an admin is, to the viewer.
  const refused = [...seen.keys()].filter((where) => /GET \S+ (?:3|4|5)\d\d$/.test(where));
  expect(refused.filter((where) => !/^viewer GET \/api\/audit/.test(where))).toEqual([]);
});
