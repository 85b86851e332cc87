import { afterEach, describe, expect, it, vi } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { UNKNOWN_ACTOR } from "../../../lib/contract/audit";
import { anEntry, anEvent, NO_SECRETS } from "./audit.test-support";
import { createAuditLog } from "./audit-log";
import { createAuditService, formatCsv, formatJsonLines } from "./audit-service";
import type { AuditStore, NewAuditEntry } from "./audit-store";

afterEach(() => {
  vi.useRealTimers();
});

function open({ masking = NO_SECRETS, fail = false } = {}) {
  const written: NewAuditEntry[] = [];
  const errors: object[] = [];
  const log = createAuditLog({
    store: {
      async append(entry) {
        if (fail) throw new Error("disk full");
        written.push(entry);
        return { ...entry, seq: written.length, hash: "" };
      },
    },
    now: () => 1_000,
    logger: { error: (fields) => void errors.push(fields) },
    masking,
  });
  return { log, written, errors };
}

const attempt = (email: string) =>
  anEvent({
    by: { ...UNKNOWN_ACTOR, token: null },
    action: "signIn",
    outcome: "denied",
    error: "wrong password",
    target: { kind: "account", name: email },
  });

describe("what is written to the audit log", () => {
  it("says who, through which token, from where, and holds no secret of either state", async () => {
    const inText = (text: string): string => text.replaceAll("hunter2", "***");
    const inValue = <T>(value: T): T => JSON.parse(inText(JSON.stringify(value)));
    const { log, written } = open({ masking: { inText, inValue } });
    const by = {
      ...LOCAL_PRINCIPAL,
      token: { id: "t", name: "ci", scopes: ["manage"] as const, tools: null, servers: null },
      origin: { door: "rest", address: "10.0.0.7" } as const,
    };
    const before = { apiKey: "sk-old", nested: [{ Authorization: "Bearer x" }], note: "is hunter2" };
    await log.record(anEvent({ by, before, after: { password: "", token: { name: "kept" } } }));
    expect(written).toEqual([
      anEntry({
        at: 1_000,
        actor: { id: "local-owner", name: "Local owner" },
        token: "ci",
        address: "10.0.0.7",
        door: "rest",
        before: '{"apiKey":"••••••••","nested":[{"Authorization":"••••••••"}],"note":"is ***"}',
        after: '{"password":"","token":{"name":"kept"}}',
      }),
    ]);
  });

  it("is bounded, and still shows what differs between two long states", async () => {
    const { log, written } = open();
    const state = (end: string) => ({ same: "x".repeat(50_000), text: { long: "y".repeat(50_000), end } });
    await log.record(anEvent({ before: state("a"), after: state("b") }));
    expect(written[0]).toMatchObject({ before: '{"text":{"end":"a"}}', after: '{"text":{"end":"b"}}' });
    await log.record(anEvent({ before: null, after: Array.from({ length: 5_000 }, (_, n) => `item ${n}`) }));
    expect(written[1]?.after?.length).toBeLessThan(17_000);
    expect(written[1]?.after).toContain("more characters");
  });

  it("is an error for its caller where it cannot be stored, and the server's log has it", async () => {
    const { log, errors } = open({ fail: true });
    await expect(log.record(anEvent())).rejects.toThrow("disk full");
    expect(errors).toEqual([expect.objectContaining({ entry: expect.objectContaining({ action: "tools.update" }) })]);
  });
});

describe("attempts that are repeated", () => {
  it("are one entry, and one more with their number when the minute is over", async () => {
    vi.useFakeTimers();
    const { log, written } = open();
    for (let index = 0; index < 500; index += 1) await log.record(attempt("ada@example.org"));
    expect(written.map(({ times }) => times)).toEqual([1]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written.map(({ times }) => times)).toEqual([1, 499]);
    await log.record(attempt("ada@example.org"));
    expect(written).toHaveLength(3);
  });

  it("write at most 41 entries a minute for everyone who is not signed in, whatever they try", async () => {
    vi.useFakeTimers();
    const { log, written } = open();
    for (let index = 0; index < 5_000; index += 1) {
      await log.record(attempt(`${index % 50}@example.org`));
    }
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written.length).toBeLessThanOrEqual(41);
    expect(written.reduce((sum, { times }) => sum + times, 0)).toBe(5_000);
    expect(written.at(-1)).toMatchObject({ action: "attempts", outcome: "denied", target: null });
  });

  it("do not hide a denied attempt of somebody else, or what was done", async () => {
    const { log, written } = open();
    for (let index = 0; index < 100; index += 1) await log.record(attempt(`${index}@example.org`));
    const before = written.length;
    await log.record(anEvent({ outcome: "denied", error: "needs the role admin" }));
    for (let index = 0; index < 3; index += 1) await log.record(anEvent());
    expect(written.slice(before).map(({ outcome }) => outcome)).toEqual(["denied", "done", "done", "done"]);
    await log.close();
    expect(written.at(-1)?.times).toBe(80);
  });
});

describe("an export of the audit log", () => {
  it("holds every matching entry, as JSON Lines and as CSV", async () => {
    const entries = Array.from({ length: 3 }, (_, index) => ({ ...anEntry(), seq: 3 - index, hash: "h" }));
    const list: AuditStore["list"] = async (_filter, cursor = 4) => {
      const items = entries.filter(({ seq }) => seq < cursor).slice(0, 2);
      const last = items.at(-1)?.seq ?? 0;
      return { items, nextCursor: last > 1 ? last : null };
    };
    const service = createAuditService({ store: { list } as AuditStore, log: open().log });
    const text = async (format: "csv" | "jsonl") => {
      let whole = "";
      for await (const piece of await service.export(LOCAL_PRINCIPAL, {}, format)) whole += piece;
      return whole;
    };
    const lines = (await text("jsonl")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual([3, 2, 1]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ at: "2023-11-14T22:13:20.000Z", actor: { name: "Ada" } });
    expect((await text("csv")).split("\r\n")).toHaveLength(5);
  });

  it("cannot run a formula in a spreadsheet, and keeps quotes, commas and lines in their cell", () => {
    for (const name of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "＋1", "－1", "＠SUM(A1)"]) {
      const row = formatCsv.row({ ...anEntry({ actor: { id: "ada", name } }), seq: 1, hash: "h" });
      expect(row).toContain(`,"'${name}",`);
    }
    const row = formatCsv.row({ ...anEntry({ error: 'a "b",\nc' }), seq: 1, hash: "h" });
    expect(row).toContain(',"a ""b"",\nc",');
    expect(formatJsonLines.row({ ...anEntry({ error: "a\nb" }), seq: 1, hash: "h" }).match(/\n/g)).toHaveLength(1);
  });
});
