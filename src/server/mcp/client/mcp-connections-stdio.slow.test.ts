import { describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { buildContext, isAlive, openBench, ownResources, readText, script } from "./connections.test-support";

describe("calls over stdio", () => {
  it("RTE-03 sends the arguments unchanged", async () => {
    const { connections } = openBench();
    connections.apply(script("echo"));
    const args = JSON.parse(
      '{"n":1.50,"s":"1","nil":null,"list":[],"deep":{"a":{"b":[{}]}},"__proto__":{"x":1},"extra":true,"": ""}',
    );
    const result = await connections.call("echo", "echo", args, buildContext());
    expect(readText(result)).toBe(JSON.stringify(args));
    const empty = await connections.call("echo", "echo", {}, buildContext());
    expect((empty.structuredContent as { raw: unknown }).raw).toMatchObject({ name: "echo", arguments: {} });
  });

  it("RTE-04 two servers with a tool of the same name do not mix", async () => {
    const { connections } = openBench();
    for (const name of ["one", "two"]) connections.apply(script("echo", { name, env: { SERVER_NAME: name } }));
    const answers = await Promise.all(
      ["one", "two", "one", "two"].map((server) => connections.call(server, "who", {}, buildContext())),
    );
    expect(answers.map(readText)).toEqual(["one", "two", "one", "two"]);
  });

  it("ERR-04 an answer with isError reaches the caller as it is", async () => {
    const { connections } = openBench();
    connections.apply(script("echo"));
    const result = await connections.call("echo", "refuse", {}, buildContext());
    expect(result).toEqual({ content: [{ type: "text", text: "the file is locked" }], isError: true });
  });

  it("ERR-05 an error of the protocol keeps its message and code", async () => {
    const { connections } = openBench();
    connections.apply(script("echo"));
    await expect(connections.call("echo", "missing", {}, buildContext())).rejects.toMatchObject({
      name: "ToolFailure",
      kind: "tool_error",
      message: "echo: Unknown tool: missing (code -32602)",
    });
  });

  it("keeps content of unknown kinds, and gives an empty list where there is none", async () => {
    const { connections } = openBench();
    connections.apply(script("echo"));
    const odd = await connections.call("echo", "odd", {}, buildContext());
    expect(odd.content.map(({ type }) => type)).toEqual(["hologram", "image"]);
    expect(await connections.call("echo", "bare", {}, buildContext())).toEqual({ note: 1, content: [] });
  });

  it("gives a server the few variables it needs and its own, nothing else of ours", async () => {
    const { connections } = openBench({
      variables: { ...process.env, UNRELATED_SECRET: "s3cret-s3cret", GREETING: "hello" },
    });
    connections.apply(script("echo", { env: { MINE: "$" + "{GREETING} $" + "{NOBODY:-you}" }, cwd: "e2e" }));
    const { cwd, env } = JSON.parse(readText(await connections.call("echo", "where", {}, buildContext())));
    expect(cwd.endsWith("/e2e")).toBe(true);
    expect(env).toMatchObject({ MINE: "hello you", PATH: process.env.PATH });
    expect(env.UNRELATED_SECRET).toBeUndefined();
  });

  it("hands a server's log messages to the server's log and to the only call", async () => {
    const { connections } = openBench();
    connections.apply(script("echo"));
    const context = buildContext();
    await connections.call("echo", "log", {}, context);
    expect(context.logged).toEqual(["disk: nearly full"]);
    expect(connections.log("echo")).toContainEqual(
      expect.objectContaining({ stream: "notification", level: "warn", text: "disk: nearly full" }),
    );
  });

  it("says how to get to a server that is unknown or disabled", async () => {
    const { connections } = openBench();
    connections.apply(script("echo", { enabled: false }));
    await expect(connections.call("nobody", "x", {}, buildContext())).rejects.toMatchObject({
      kind: "not_found",
      message: "No server has the prefix 'nobody'",
    });
    await expect(connections.call("echo", "x", {}, buildContext())).rejects.toMatchObject({
      kind: "unavailable",
      message: "Server 'echo' is disabled: enable it on its page in the console",
    });
  });
});

describe("text between the messages", () => {
  it("MCP-02 puts the offending text into the server's log, whole lines and glued ones", async () => {
    const { connections } = openBench();
    connections.apply(script("polluting"));
    expect(readText(await connections.call("polluting", "line", {}, buildContext()))).toBe("after a line");
    expect(readText(await connections.call("polluting", "glued", {}, buildContext()))).toBe("glued");
    expect(readText(await connections.call("polluting", "glued_brace", {}, buildContext()))).toBe('a "quoted" {brace}');
    expect(readText(await connections.call("polluting", "json", {}, buildContext()))).toBe("after json");
    const describeStdoutNoise = connections.log("polluting").filter(({ stream }) => stream === "stdout");
    expect(describeStdoutNoise.map(({ text }) => text.trim())).toEqual([
      "debug: starting up",
      "debug: reading the table",
      "debug: no newline",
      "debug {unclosed  trailing",
      '{"level":"info","msg":"a structured log line"}',
      '"just a string"',
    ]);
  });

  it("MCP-02 fails at once the call whose answer was torn apart, with the offending text", async () => {
    const { connections } = openBench();
    connections.apply(script("polluting"));
    const other = connections.call("polluting", "ok", {}, buildContext());
    await expect(connections.call("polluting", "torn", {}, buildContext())).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/^Server 'polluting' is unavailable: .*\[WARN cache miss/),
    });
    expect(readText(await other)).toBe("fine");
  });

  it("MCP-02 tells the waiting call what was printed, and adds it to the timeout error", async () => {
    const { connections } = openBench();
    connections.apply(script("polluting"));
    const context = buildContext({ signal: AbortSignal.timeout(1500) });
    await expect(connections.call("polluting", "swallowed", {}, context)).rejects.toMatchObject({
      kind: "cancelled",
      message: expect.stringContaining("WARN something overwrote the answer"),
    });
    expect(context.logged.join()).toContain("WARN something overwrote the answer");
  });

  it("MCP-03 the same process answers the next call", async () => {
    const { connections } = openBench();
    connections.apply(script("polluting"));
    const { pid } = await connections.ready("polluting");
    await connections.call("polluting", "line", {}, buildContext());
    await expect(connections.call("polluting", "torn", {}, buildContext())).rejects.toThrow();
    expect(readText(await connections.call("polluting", "ok", {}, buildContext()))).toBe("fine");
    expect(connections.state("polluting")).toMatchObject({ status: "connected", pid });
  });

  it("fails a call whose answer is no object, or whose error has no code", async () => {
    const { connections } = openBench();
    connections.apply(script("polluting"));
    await expect(connections.call("polluting", "no_object", {}, buildContext())).rejects.toThrow(/is not an object/);
    await expect(connections.call("polluting", "no_error", {}, buildContext())).rejects.toThrow(/"it broke"/);
  });
});

describe("servers that end", () => {
  it("names the exit code and the last lines of stderr, without secrets", async () => {
    const { connections } = openBench();
    connections.apply(script("dying", { env: { API_TOKEN: "tok-1234567890" } }));
    await expect(connections.call("dying", "exit", {}, buildContext())).rejects.toMatchObject({
      kind: "unavailable",
      message:
        "Server 'dying' is unavailable: the process ended with exit code 3. Last lines of stderr:\nfatal: disk is full (token [redacted])",
    });
    const said = JSON.stringify([connections.log("dying"), connections.messages("dying"), connections.state("dying")]);
    expect(said).not.toContain("tok-1234567890");
  });

  it("names the signal, and starts the server again for the next call while others continue", async () => {
    const { connections } = openBench();
    connections.apply(script("dying"));
    connections.apply(script("hanging"));
    const context = buildContext();
    const other = connections.call("hanging", "progress", {}, context);
    other.catch(() => undefined);
    await waitUntil(() => context.steps.length > 0);
    await expect(connections.call("dying", "kill", {}, buildContext())).rejects.toThrow(
      /the process was ended by SIGKILL.*\nout of memory soon/s,
    );
    expect(readText(await connections.call("dying", "ok", {}, buildContext()))).toBe("alive");
    expect(readText(await connections.call("hanging", "ok", {}, buildContext()))).toBe("quick");
    expect(connections.state("hanging")?.status).toBe("connected");
  });

  it("fails the calls of a server that closes its output but keeps running", async () => {
    const { connections } = openBench();
    connections.apply(script("dying"));
    const { pid } = await connections.ready("dying");
    await expect(connections.call("dying", "close_stdout", {}, buildContext())).rejects.toThrow(
      /closed its standard output/,
    );
    await waitUntil(() => !isAlive(pid ?? 0));
  });

  it("says why a connected server's tools are not known, until it lists them", async () => {
    const { connections } = openBench();
    connections.apply(script("changing-tools", { args: ["fails-first"] }));
    const reason = "The tools could not be listed: no database";
    expect(await connections.ready("changing-tools")).toMatchObject({ status: "connected", reason });
    await connections.call("changing-tools", "change", {}, buildContext());
    await waitUntil(() => connections.state("changing-tools")?.reason === null);
  });

  it("names the answer to 'initialize' that is none", async () => {
    const { connections } = openBench();
    connections.apply(script("changing-tools", { args: ["no-version"], protocol: "legacy" }));
    await waitUntil(() => connections.state("changing-tools")?.status === "disconnected");
    expect(connections.state("changing-tools")?.reason).toContain(
      "answer to 'initialize' is not valid: it needs protocolVersion",
    );
  });

  it("tries a server that ends at once again, with waits that grow", async () => {
    const { connections, states } = openBench({
      limits: { attemptSpacingMs: 10, backoff: { initialMs: 20, maxMs: 60_000, factor: 3 } },
    });
    connections.apply(script("dying", { args: ["at-once"], protocol: "legacy" }));
    await waitUntil(() => states.filter(({ state }) => state.status === "disconnected").length >= 4);
    const waits = states.filter(({ state }) => state.status === "disconnected").map(({ state }) => state);
    expect(waits[0]).toMatchObject({
      attempts: 1,
      reason: "The process ended with exit code 2. Last lines of stderr:\ncannot read config.toml",
    });
    expect(waits[3]?.attempts).toBe(4);
    expect(waits.every(({ nextAttemptAt }) => nextAttemptAt !== null)).toBe(true);
    await expect(connections.call("dying", "ok", {}, buildContext())).rejects.toMatchObject({ kind: "unavailable" });
  });

  it("does not let calls start a server over and over that ends at once", async () => {
    const { connections, states } = openBench({
      limits: { attemptSpacingMs: 1, backoff: { initialMs: 600_000, maxMs: 600_000, factor: 1 } },
    });
    connections.apply(script("dying", { args: ["at-once"], protocol: "legacy" }));
    for (let call = 0; call < 12; call += 1) {
      await expect(connections.call("dying", "ok", {}, buildContext())).rejects.toThrow(/exit code 2/);
    }
    expect(states.filter(({ state }) => state.status === "connecting").length).toBeLessThanOrEqual(7);
  });

  it("says what is wrong with a command or folder that is not there", async () => {
    const { connections } = openBench();
    connections.apply(script("a", { command: "no-such-command-here" }));
    connections.apply(script("b", { cwd: "no/such/folder" }));
    connections.apply(script("c", { env: { KEY: "$" + "{NO_SUCH_VARIABLE}" } }));
    connections.apply(script("d", { command: import.meta.filename }));
    const states = await Promise.all(["a", "b", "c", "d"].map((server) => connections.ready(server)));
    expect(states.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed"]);
    expect(states[0]?.reason).toMatch(/^The command 'no-such-command-here' was not found: install it/);
    expect(states[1]?.reason).toMatch(/^The working folder '.*no\/such\/folder' does not exist/);
    expect(states[2]?.reason).toMatch(/^The environment value 'KEY' needs \$\{NO_SUCH_VARIABLE\}, which is not set/);
    expect(states[3]?.reason).toMatch(/is not executable/);
  });
});

describe("servers that do not answer", () => {
  it("TIME-03 sends notifications/cancelled when a call is cancelled, and ignores the late answer", async () => {
    const { connections } = openBench();
    connections.apply(script("hanging"));
    const abort = new AbortController();
    const context = buildContext({ signal: abort.signal });
    const call = connections.call("hanging", "late", {}, context);
    const refused = expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await waitUntil(() => connections.messages("hanging").some(({ text }) => text.includes('"late"')));
    abort.abort(new Error("user pressed stop"));
    await refused;
    await waitUntil(() => connections.log("hanging").some(({ text }) => text.startsWith("cancelled")));
    expect(connections.log("hanging").find(({ text }) => text.startsWith("cancelled"))?.text).toContain(
      "user pressed stop",
    );
    await waitUntil(() =>
      connections.log("hanging").some(({ level, text }) => level === "debug" && text.includes("no pending request")),
    );
    expect(readText(await connections.call("hanging", "ok", {}, buildContext()))).toBe("quick");
  });

  it("hands progress to the call", async () => {
    const { connections } = openBench();
    connections.apply(script("hanging"));
    const abort = new AbortController();
    const context = buildContext({ signal: abort.signal });
    const call = connections.call("hanging", "progress", {}, context);
    call.catch(() => undefined);
    await waitUntil(() => context.steps.length === 1);
    expect(context.steps).toEqual([{ progress: 1, total: 4, message: "step 1" }]);
    abort.abort();
    await expect(call).rejects.toThrow();
  });

  it("times out on a server that never answers the handshake, and leaves nothing running", async () => {
    const { connections, states } = openBench();
    connections.apply(script("hanging", { args: ["mute"], connectTimeoutMs: 900 }));
    const state = await connections.ready("hanging");
    expect(state.status).toBe("disconnected");
    expect(state.reason).toMatch(/^The server did not answer within 0.9 s: is the command an MCP server/);
    expect(states.length).toBeGreaterThan(0);
    await connections.remove("hanging");
    expect(connections.state("hanging")).toBeNull();
  });
});

describe("floods", () => {
  it("drops a response of 100 MB while it arrives, fails only its call and stays connected", async () => {
    const { connections } = openBench({ limits: { maxMessageBytes: 4 * 1024 * 1024 } });
    connections.apply(script("flooding"));
    connections.apply(script("echo"));
    await connections.ready("flooding");
    const before = process.memoryUsage.rss();
    for (const tool of ["answer", "answer_id_last"]) {
      const other = connections.call("echo", "who", {}, buildContext());
      await expect(connections.call("flooding", tool, { megabytes: 100 }, buildContext())).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringContaining("larger than the 4194304 bytes allowed for a message"),
      });
      expect(readText(await other)).toBe("echo");
    }
    expect(readText(await connections.call("flooding", "ok", {}, buildContext()))).toBe("small");
    expect(connections.state("flooding")?.status).toBe("connected");
    expect(process.memoryUsage.rss() - before).toBeLessThan(60 * 1024 * 1024);
  });

  it("reads past a flood of other text", async () => {
    const { connections } = openBench({ limits: { maxMessageBytes: 1024 * 1024 } });
    connections.apply(script("flooding"));
    expect(readText(await connections.call("flooding", "garbage", { megabytes: 20 }, buildContext()))).toBe(
      "after the flood",
    );
    expect(connections.log("flooding").some(({ text }) => text.includes("was dropped"))).toBe(true);
  });

  it("takes large answers whole", async () => {
    const { connections } = openBench();
    connections.apply(script("flooding"));
    const result = await connections.call("flooding", "answer", { megabytes: 12 }, buildContext());
    expect(readText(result)).toHaveLength(12 * 1024 * 1024);
    expect(connections.messages("flooding").at(-1)?.text.length).toBeLessThan(20_000);
  });

  it("keeps only so many lines of stderr in a second", async () => {
    const { connections } = openBench();
    connections.apply(script("flooding"));
    await connections.call("flooding", "stderr", { lines: 50_000 }, buildContext());
    expect(connections.log("flooding").length).toBeLessThanOrEqual(2000);
  });
});

describe("processes", () => {
  it("ends a server that ignores the end of its input and SIGTERM", async () => {
    const { connections } = openBench();
    connections.apply(script("stubborn"));
    const { pid } = await connections.ready("stubborn");
    expect(isAlive(pid ?? 0)).toBe(true);
    await connections.remove("stubborn");
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  it("ends grandchildren with their server, also when the server ended first", async () => {
    const { connections } = openBench();
    connections.apply(script("grandchildren"));
    const first: number[] = JSON.parse(readText(await connections.call("grandchildren", "pids", {}, buildContext())));
    expect(first.map(isAlive)).toEqual([true, true, true]);
    await expect(connections.call("grandchildren", "exit", {}, buildContext())).rejects.toThrow(
      /exit code 4.*\nleaving my helpers behind/s,
    );
    const second: number[] = JSON.parse(readText(await connections.call("grandchildren", "pids", {}, buildContext())));
    expect(first.map(isAlive)).toEqual([false, false, false]);
    connections.apply(script("grandchildren", { enabled: false }));
    await waitUntil(() => !second.some(isAlive));
    expect(connections.state("grandchildren")?.status).toBe("disabled");
  });

  it.runIf(process.platform === "linux")(
    "leaves neither processes nor descriptors after 50 restarts",
    { timeout: 120_000 },
    async () => {
      const { connections } = openBench();
      connections.apply(script("echo"));
      await connections.ready("echo");
      await connections.reconnect("echo");
      const before = ownResources();
      const pids = new Set<number>();
      for (let restart = 0; restart < 50; restart += 1) {
        const { status, pid } = await connections.reconnect("echo");
        expect(status).toBe("connected");
        if (pid !== null) pids.add(pid);
      }
      expect(pids.size).toBe(50);
      expect(ownResources().children).toBe(before.children);
      expect(ownResources().descriptors).toBeLessThanOrEqual(before.descriptors + 2);
      expect([...pids].filter(isAlive)).toHaveLength(1);
      expect(process.listenerCount("exit")).toBeLessThan(20);
      await connections.close();
      expect([...pids].filter(isAlive)).toHaveLength(0);
      expect(ownResources().children).toBe(before.children - 1);
    },
  );
});
