import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ServerLogLine } from "../../../lib/contract/server";
import type { CredentialStore } from "../../engine/mcp-ports";
import { createSafeEvents } from "./connection/safe-events";
import { buildContext } from "./connections.test-support";
import { assertTextSize, stringifyDetails } from "./interaction/check-request";
import { PendingRequests } from "./interaction/pending-requests";
import { Redactor } from "./log/redactor";
import { compactMessage, expandMessage, ServerLog } from "./log/server-log";
import { openCredentials } from "./oauth/oauth-credentials";
import { SignIns } from "./oauth/sign-ins";
import { describeOtherError, getMessage } from "./session/describe-error";
import { RunningToolCall } from "./session/running-tool-calls";

const SECRET = "s3cr3t-0123456789-abcdefghij";

function buildRedactor(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

function openLog(redactor = new Redactor(), logLinesPerSecond = 10) {
  const lines: ServerLogLine[] = [];
  const time = { ms: 0 };
  const log = new ServerLog({
    clock: { now: () => time.ms, elapsed: () => time.ms },
    redactor,
    limits: { maxLogLines: 1000, maxLogLineChars: 100, maxMessages: 10, maxMessageChars: 100, logLinesPerSecond },
    onLine: (line) => lines.push(line),
  });
  return { log, lines, time };
}

describe("text that is meant for terminals", () => {
  it("ERR-03 is without escape sequences in log lines, last words and quotes, and hides no secret", () => {
    const { log, lines } = openLog(buildRedactor(SECRET));
    const hidden = `${SECRET.slice(0, 5)}\u001b[0m${SECRET.slice(5)}`;
    log.addStderr(`\u001b[31mERROR\u001b[0m token ${hidden}\u0007`);
    expect(lines[0]?.text).toBe("ERROR token [redacted]");
    expect(log.lastStderr()).toEqual(["ERROR token [redacted]"]);
    expect(log.quote("\u001b[1mbold\u001b[0m", 100)).toBe("bold");
    expect(log.quote("x".repeat(1_000_000), 10)).toBe(`${"x".repeat(10)}… [999990 more characters]`);
  });
});

describe("data that a server sends with an error or a log message", () => {
  it("may be nested however deeply: it is replaced instead of overflowing the stack", () => {
    const { log } = openLog();
    const levels = 50_000;
    const deep: unknown = JSON.parse("[".repeat(levels) + "]".repeat(levels));
    expect(log.redactJson(deep, 1000)).toBe("[nested deeper than 200 levels]");
    expect(log.redactJson({ a: [1] }, 1000)).toEqual({ a: [1] });
  });
});

describe("a secret that lies across a cut", () => {
  it("leaves no part of itself, wherever the cut is", () => {
    const redactor = buildRedactor(SECRET, "other-secret");
    const text = `${"other-secret ".repeat(3)}${SECRET} and more`.repeat(3);
    for (let max = 0; max <= text.length; max += 1) {
      const quoted = redactor.quote(text, max);
      expect(quoted).not.toMatch(/s3cr|cr3t|0123|abcd|other|-sec/);
      expect(redactor.head(text, max)).not.toMatch(/s3cr|cr3t|0123|abcd|other|-sec/);
    }
    expect(redactor.quote("short", 5)).toBe("short");
    expect(redactor.quote("a plain text", 7)).toBe("a plain… [5 more characters]");
    expect(redactor.quote(`ab${SECRET}cd`, 4)).toBe("ab[redacted]… [2 more characters]");
  });

  it("leaves none in a very long text, nor where secrets overlap", () => {
    const redactor = buildRedactor(SECRET, "abcdefghij-tail");
    expect(redactor.apply(`<${SECRET}-tail>`)).toBe("<[redacted]>");
    expect(redactor.quote(`${"x".repeat(95)}${SECRET}${"y".repeat(1_000_000)}`, 100)).toBe(
      `${"x".repeat(95)}[redacted]… [1000000 more characters]`,
    );
  });

  it("leaves none in log lines, last words, kept messages and faults", () => {
    const { log, lines } = openLog(buildRedactor(SECRET));
    const text = "x".repeat(90) + SECRET + "y".repeat(500);
    log.addStderr(text);
    log.addStderr(`${"x".repeat(490)}${SECRET} y`);
    log.recordMessage(
      "received",
      { jsonrpc: "2.0", method: text },
      JSON.stringify({ jsonrpc: "2.0", method: text }),
      null,
    );
    log.recordMessage("sent", { jsonrpc: "2.0", method: "x".repeat(70) + SECRET }, "", null);
    const fault = describeOtherError(new Error("x".repeat(290) + SECRET), (said, max) => log.quote(said, max));
    expect(JSON.stringify([lines, log.lastStderr(), log.messages(), fault.message])).not.toMatch(/s3cr3t/);
    expect(log.messages()).toHaveLength(2);
  });

  it("keeps what the settings hold, however many tokens come and go", () => {
    const redactor = buildRedactor(SECRET);
    for (let token = 0; token < 2000; token += 1) redactor.addTemporary(`passing-token-${token}`);
    expect(redactor.apply(`${SECRET} passing-token-1999 passing-token-0`)).toBe(
      "[redacted] [redacted] passing-token-0",
    );
  });
});

describe("a flood of lines", () => {
  it.each(["stdout", "stderr", "notification", "toolroom"] as const)("on %s is cut, and said to be", (stream) => {
    const { log, lines, time } = openLog();
    const taken = Array.from({ length: 30_000 }, (_, at) => log.add(stream, "debug", `line ${at}`));
    expect(taken.filter(Boolean)).toHaveLength(10);
    expect(lines).toHaveLength(10);
    expect(log.add(stream === "stdout" ? "stderr" : "stdout", "info", "another stream")).toBe(true);
    time.ms += 1000;
    log.add(stream, "debug", "later");
    expect(lines.at(-2)?.text).toMatch(/^29990 lines of \w+.* were left out: too many in one second$/);
    expect(lines.at(-1)?.text).toBe("later");
  });
});

it("progress is published at once, then about twenty times a second, and its last step before the call's end", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const context = buildContext();
  const call = new RunningToolCall("t", context, 50);
  for (let step = 1; step <= 30_000; step += 1) call.progress(step, 30_000);
  expect(context.steps.map(({ progress }) => progress)[0]).toBe(1);
  expect(context.steps.length).toBeLessThan(100);
  vi.advanceTimersByTime(80);
  expect(context.steps.at(-1)?.progress).toBe(30_000);
  call.progress(30_001);
  call.progress(30_002);
  call.end();
  expect(context.steps.at(-1)?.progress).toBe(30_002);
  call.progress(30_003);
  vi.advanceTimersByTime(80);
  expect(context.steps.at(-1)?.progress).toBe(30_002);
});

it("a listener that throws ends nothing, and its error is logged", () => {
  const told: unknown[] = [];
  const ignore = (): void => undefined;
  const fail = (): never => {
    throw new RangeError("Maximum call stack size exceeded");
  };
  const logger = { debug: ignore, info: ignore, warn: ignore, error: (fields: unknown) => void told.push(fields) };
  const events = createSafeEvents({ onState: fail, onTools: fail, onLog: fail, onContent: fail }, logger);
  expect(() => events.onTools("deep", [])).not.toThrow();
  expect(told).toEqual([{ server: "deep", listener: "onTools", error: expect.stringMatching(/call stack/) }]);
});

it("a message that is nested too deeply to be written, or very wide, is kept without a fault", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`);
  for (const params of [deep, { text: "x".repeat(1000), deep }]) {
    const kept = compactMessage({ jsonrpc: "2.0", method: "m", params }, "", 1_000_000);
    expect(expandMessage(kept).text).toBe("(nested too deeply to be shown)");
    expect(() => expandMessage(compactMessage({ jsonrpc: "2.0", method: "m", params }, "", 100))).not.toThrow();
  }
  const wide = { jsonrpc: "2.0" as const, id: 1, result: Array.from({ length: 400_000 }, () => 1) };
  expect(expandMessage(compactMessage(wide, "", 100)).bytes).toBeGreaterThan(400_000);
});

describe("questions", () => {
  it("are refused when too long, too large or too deep, by the name of the part", () => {
    const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
    expect(() => assertTextSize("message", "x".repeat(10_241))).toThrow(/'message' is larger than the 10240 bytes/);
    expect(() => assertTextSize("url", "ä".repeat(6000))).toThrow(/'url' is larger/);
    expect(() => stringifyDetails("params", { text: "x".repeat(300_000) })).toThrow(
      /'params' is larger than the 262144/,
    );
    expect(() => stringifyDetails("params", nested(50_000))).toThrow(/'params' is nested more than 1000 levels deep/);
    expect(() => stringifyDetails("requestedSchema", nested(3000))).toThrow(/'requestedSchema' is nested more than 32/);
    expect(stringifyDetails("requestedSchema", nested(10))).toHaveLength(61);
  });

  it("are as many as were allowed, with one remark for the rest", () => {
    let warnings = 0;
    const pending = new PendingRequests(2);
    const reserve = () => pending.reserve(() => (warnings += 1));
    const release = reserve();
    expect([reserve(), reserve(), reserve()].map((slot) => slot === null)).toEqual([false, true, true]);
    expect(warnings).toBe(1);
    release?.();
    expect(reserve()).not.toBeNull();
  });
});

describe("sign-ins", () => {
  it("show no raw answer of an authorization server, none of our secrets, and no more than 300 characters", async () => {
    const redactor = buildRedactor("client-secret-1234");
    const { log, lines } = openLog(redactor);
    const said = `client-secret-1234 ${"long words ".repeat(100)}Raw body: client_secret=client-secret-1234&code=the-code-1234`;
    const signIn = {
      provider: { stateMatches: async () => true, returnTo: () => null },
      transport: {
        finishAuth: (params: URLSearchParams) => Promise.reject(new Error(`${params.get("code")} ${said}`)),
      },
    };
    const target = {
      connection: { log, settings: { connectTimeoutMs: 5000 } },
      opener: { signIn, addSecret: (value: string) => redactor.addTemporary(value) },
    };
    const finishing = new SignIns().finish(
      new Map([["files", target as never]]),
      new URLSearchParams("code=the-code-1234"),
    );
    const { message } = await finishing.then(
      () => new Error(),
      (error: Error) => error,
    );
    expect(message).toMatch(/^Server 'files': \[redacted\] \[redacted\] long words/);
    expect(message.length).toBeLessThan(360);
    expect(message + JSON.stringify(lines)).not.toMatch(/Raw body|1234/);
    expect(getMessage(new Error("HTTP 400: Invalid OAuth error response: x. Raw body: a\nb"))).toBe(
      "HTTP 400: Invalid OAuth error response: x",
    );
  });

  it("of one server that cannot be looked up do not stand in the way of another's", async () => {
    const finished: string[] = [];
    const buildTarget = (name: string, stateMatches: () => Promise<boolean>) => ({
      connection: { log: openLog().log, reconnect: async () => undefined, settings: { connectTimeoutMs: 5000 } },
      opener: {
        addSecret: () => undefined,
        signIn: {
          provider: { stateMatches, returnTo: () => null, signedIn: async () => true },
          transport: { finishAuth: async () => void finished.push(name) },
        },
      },
    });
    const servers = new Map([
      ["broken", buildTarget("broken", () => Promise.reject(new Error("another key"))) as never],
      ["good", buildTarget("good", async () => true) as never],
    ]);
    expect(await new SignIns().finish(servers, new URLSearchParams("state=x"))).toEqual({
      server: "good",
      returnTo: null,
    });
    expect(finished).toEqual(["good"]);
  });

  it("that cannot be read count as none, and are overwritten by a new sign-in alone", async () => {
    const written: (string | null)[] = [];
    const told: unknown[] = [];
    const secrets: string[] = [];
    const store: CredentialStore = {
      read: async () => {
        if (written.length === 0) throw new Error("another key");
        return written.at(-1) ?? null;
      },
      write: async (_, text) => void written.push(text),
    };
    const listener = {
      onUnreadable: (error: unknown) => told.push(error),
      onSecret: (value: string) => secrets.push(value),
    };
    const file = openCredentials(store, "files", "b", listener);
    expect(await file.read()).toEqual({ attempts: [] });
    await file.update((credentials) => {
      credentials.issuer = "https://a.example";
    });
    expect([written, told.length]).toEqual([[], 1]);
    await file.update((credentials) => {
      credentials.attempts = [{ state: "s", codeVerifier: "the-verifier", redirectUrl: "u", startedAt: 1 }];
    });
    expect(written).toHaveLength(1);
    expect(await file.read()).toMatchObject({ issuer: "https://a.example", attempts: [{ state: "s" }] });
    expect(secrets).toContain("the-verifier");
  });
});
