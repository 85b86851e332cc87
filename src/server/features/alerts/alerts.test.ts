import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal, type Role } from "../../../lib/contract/access";
import { type Alert, type AlertRuleInput, alertRuleInputSchema } from "../../../lib/contract/alert";
import type { LimitUsage } from "../../../lib/contract/rule-limit";
import type { StatisticsTotals } from "../../../lib/contract/statistics";
import { describeAlert, toAlertPath } from "../../../lib/format/alert-words";
import { anEnd, aStart } from "../../calls/executions/execution.test-support";
import type { ExecutionStore } from "../../calls/executions/execution-store";
import type { StatisticsReads } from "../../calls/statistics/statistics-store";
import type { ExecutionEnd, ExecutionStart } from "../../engine/ports";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { useDatabase } from "../../platform/db/contract/store-database.test-support";
import { describeOnBoth } from "../../platform/db/store-databases.test-support";
import { testSecretBox } from "../servers/server.test-support";
import type { Happening } from "../webhooks/webhook-events";
import type { WatchedServer } from "./alert-readings";
import { type AlertService, createAlertService } from "./alert-service";
import { advanceAlert, keepWithinClock, listFirings, NO_STATE } from "./alert-state";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 26, 12, 0, 30);
const person = (id: string, role: Role): Principal => ({ ...LOCAL_PRINCIPAL, id, name: id, role });
const vic = person("vic", "viewer");
const ada = person("ada", "admin");
const RATE = { name: "Charges fail", kind: "failure_rate", tool: "charge", threshold: 20 } as const;
const readRule = (rule: object): AlertRuleInput => alertRuleInputSchema.parse(rule);

describeOnBoth("alerts", (createDatabase) => {
  const database = useDatabase(createDatabase);
  let now = START;
  let figures = { finished: 0, failed: 0, p95Ms: null as number | null, rebuilding: false };
  let servers: WatchedServer[] = [];
  let waiting: { tool: string; requestedAt: number }[] = [];
  let usage: LimitUsage[] = [];
  let told: Happening[] = [];
  let lastId = 0;
  let changes = 0;
  let tell = async (happening: Happening): Promise<void> => void told.push(happening);
  const jobs: string[] = [];

  function openService(statistics?: StatisticsReads): AlertService {
    return createAlertService({
      store: database().alerts(),
      logger: recordingLogger(),
      now: () => now,
      hasTool: (name) => name === "charge",
      statistics: statistics ?? {
        totals: async () => figures as StatisticsTotals,
        series: async () => ({ points: [], rebuilding: false }),
        groups: async () => ({ groups: [], rebuilding: false }),
      },
      servers: () => servers,
      waiting: async () => waiting,
      limits: async () => usage,
      publish: (happening) => tell(happening),
      jobs: { repeat: (kind) => void jobs.push(kind) },
      newId() {
        lastId += 1;
        return `alert_${lastId}`;
      },
      onChange() {
        changes += 1;
      },
    });
  }

  let alerts: AlertService;
  beforeEach(() => {
    [now, told, servers, waiting, usage, changes] = [START, [], [], [], [], 0];
    figures = { finished: 0, failed: 0, p95Ms: null, rebuilding: false };
    tell = async (happening) => void told.push(happening);
    alerts = openService();
  });

  const fail = (failed: number, finished = 100): void => {
    figures = { ...figures, failed, finished };
  };
  /** Minutes pass, each with its evaluation. */
  async function pass(minutes: number, before: (minute: number) => void = () => undefined): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      before(minute);
      await alerts.evaluate();
      now += MINUTE;
    }
  }
  const events = () => told.map(({ event }) => event.slice("alert.".length));
  const list = async (by = ada) => (await alerts.history(by, { limit: 50 })).items;

  it("a rule fires once above its threshold, and is resolved after five minutes well within it", async () => {
    await alerts.createRule(ada, readRule(RATE));
    fail(20);
    await pass(2);
    expect(await list()).toEqual([]);
    fail(25);
    await pass(3);
    const [alert] = await list();
    expect(alert).toMatchObject({ rule: "Charges fail", tool: "charge", value: 25, threshold: 20, resolvedAt: null });
    expect((await alerts.rules())[0]?.firing).toBe(1);
    fail(18);
    await pass(10);
    expect(events()).toEqual(["fired"]);
    fail(16);
    await pass(5);
    expect(events()).toEqual(["fired"]);
    await pass(1);
    expect(events()).toEqual(["fired", "resolved"]);
    expect(await list()).toMatchObject([{ id: alert?.id, resolvedAt: now - MINUTE }]);
    expect(told[1]?.data).toMatchObject({
      alert: alert?.id,
      rule: "Charges fail",
      kind: "failure_rate",
      tool: "charge",
    });
    expect(changes).toBe(3);
  });

  it("a value that flaps, and one that comes back at once, sends no flood", async () => {
    await alerts.createRule(ada, readRule(RATE));
    await pass(120, (minute) => fail(minute % 2 === 0 ? 90 : 0));
    expect(events()).toEqual(["fired"]);
    await pass(120, (minute) => fail(minute % 7 === 0 ? 90 : 0));
    expect(events().length).toBeLessThanOrEqual(2 * 4 * 2 + 1);
    expect(await database().count("Alert")).toBeLessThanOrEqual(9);
  });

  it("too few calls, and figures that are being rebuilt, are not checked", async () => {
    await alerts.createRule(ada, readRule({ ...RATE, minCalls: 50 }));
    fail(40, 49);
    await pass(2);
    figures = { ...figures, finished: 50, rebuilding: true };
    await pass(2);
    expect(await list()).toEqual([]);
    figures = { ...figures, rebuilding: false };
    await pass(1);
    expect(await list()).toHaveLength(1);
    const slow = await alerts.createRule(ada, readRule({ name: "Slow", kind: "p95_latency", threshold: 900 }));
    figures = { ...figures, p95Ms: 1_200 };
    await pass(1);
    expect((await alerts.history(ada, { ruleId: slow.id, limit: 5 })).items).toMatchObject([
      { value: 1_200, tool: null },
    ]);
  });

  it("a server that is not connected for its minutes fires once, also over a restart that happens meanwhile", async () => {
    await alerts.createRule(ada, readRule({ name: "Down", kind: "server_down", threshold: 5 }));
    const files = (status: WatchedServer["status"]): void => {
      servers = [
        { name: "files", status, heldCount: 0 },
        { name: "docs", status: "connected", heldCount: 0 },
      ];
    };
    files("disconnected");
    await pass(2);
    files("connecting");
    alerts = openService();
    await pass(2);
    files("failed");
    await pass(1);
    expect(await list()).toEqual([]);
    await pass(3);
    expect(await list()).toMatchObject([{ server: "files", value: 5, resolvedAt: null }]);
    files("connected");
    await pass(6);
    expect(events()).toEqual(["fired", "resolved"]);
    await pass(10);
    expect(await database().count("AlertState")).toBe(0);
  });

  it("outages are stored without any rule, so that a preview tells when servers were down", async () => {
    const set = (status: WatchedServer["status"], name = "files"): void => {
      servers = [{ name, status, heldCount: 0 }];
    };
    const down = readRule({ name: "Down", kind: "server_down", threshold: 5 });
    const steps = [
      ["disconnected", 30],
      ["connecting", 10],
      ["connected", 60],
      ["failed", 3],
      ["connected", 60],
      ["sign_in_needed", 20],
    ] as const;
    for (const [status, minutes] of steps) {
      set(status);
      await pass(minutes);
    }
    const preview = await alerts.preview(down);
    expect(preview).toMatchObject({ days: 7, fired: 2, rebuilding: false });
    expect(Math.max(...preview.points.map(({ value }) => value ?? 0))).toBe(40);
    expect((await alerts.preview({ ...down, threshold: 30 })).fired).toBe(1);
    expect((await alerts.preview({ ...down, server: "files" })).fired).toBe(2);
    const [signIn, failed, disconnected] = await alerts.outages("files");
    expect(signIn).toMatchObject({ status: "sign_in_needed", endedAt: null });
    const toMinutes = (outage: typeof failed) => ((outage?.endedAt ?? 0) - (outage?.startedAt ?? 0)) / 60_000;
    expect([failed, disconnected].map(toMinutes)).toEqual([3, 40]);
    expect([failed?.status, disconnected?.status]).toEqual(["failed", "disconnected"]);
    expect(await alerts.outages("other")).toEqual([]);
    // A server that is disabled or gone is not away any more.
    servers = [];
    await pass(1);
    expect(await database().alerts().listOpenOutages()).toEqual([]);
    expect((await alerts.preview(down)).fired).toBe(0);
    expect(await database().count("ServerOutage")).toBe(3);
    await database().alerts().pruneOutages(now);
    expect(await database().count("ServerOutage")).toBe(0);
  });

  describe("of calls", () => {
    let executions: ExecutionStore;
    let made = 0;
    beforeEach(() => {
      executions = database().executions({ instanceId: "calls", clock: { now: () => now, elapsed: () => 0 } });
      alerts = openService(executions.statistics);
    });
    afterEach(() => executions.close());

    async function record(calls: number, start: Partial<ExecutionStart>, end: Partial<ExecutionEnd> = {}) {
      for (let call = 0; call < calls; call += 1) {
        made += 1;
        const whole = aStart({ id: `exec_c${made}`, source: "gateway", queuedAt: now - MINUTE, ...start });
        await executions.record(whole, anEnd(whole, end));
      }
    }
    const FAILED = { status: "failed", errorKind: "tool_error" } as const;
    const INVALID = { status: "failed", errorKind: "invalid_arguments", runMs: null } as const;

    it("a rule about each tool, server or client fires for each one that is above the threshold", async () => {
      const rates = { kind: "failure_rate", threshold: 50 };
      for (const each of ["tool", "server", "client"]) {
        await alerts.createRule(ada, readRule({ ...rates, name: `Each ${each}`, each }));
      }
      await record(12, { toolName: "charge", serverName: "files", client: "claude/1.2" }, FAILED);
      await record(12, { toolName: "other", serverName: "docs", client: "cursor/2" });
      // No tool has this name, so it has no alert.
      await record(12, { toolName: "no_such_tool" }, { status: "failed", errorKind: "not_found", runMs: null });
      await record(9, { toolName: "rare", serverName: "rare", client: "rare" }, FAILED);
      await pass(1);
      const fired = await list();
      expect(fired.map(({ rule, tool, server, client, value }) => [rule, tool, server, client, value]).sort()).toEqual([
        ["Each client", null, null, "claude", 100],
        ["Each server", null, "files", null, 100],
        ["Each tool", "charge", null, null, 100],
      ]);
      expect(fired.map(describeAlert)).toContain("claude: 100% of calls failed in 15 min");
      const path = toAlertPath(fired.find(({ client }) => client !== null) as Alert);
      expect(new URL(path, "http://x").searchParams.get("client")).toBe("claude");
      expect(told.map(({ data }) => data.client).filter(Boolean)).toEqual(["claude"]);
      const preview = await alerts.preview(readRule({ ...rates, name: "Preview", each: "client" }));
      expect(preview).toMatchObject({ days: 7, fired: 1 });
      expect(preview.points.filter(({ value }) => value !== null)).toMatchObject([{ value: 100, firing: true }]);
      now += 60 * MINUTE;
      await pass(7);
      expect((await list()).every(({ resolvedAt }) => resolvedAt !== null)).toBe(true);
    });

    it("invalid calls of programs fire a rule about them and one about failures, those of the console none", async () => {
      await alerts.createRule(ada, readRule({ name: "Invalid", kind: "invalid_rate", threshold: 20, tool: "charge" }));
      await alerts.createRule(ada, readRule({ ...RATE, threshold: 40 }));
      await record(10, { toolName: "charge" });
      await record(30, { toolName: "charge", source: "console" }, INVALID);
      await pass(1);
      expect(await list()).toEqual([]);
      await record(10, { toolName: "charge" }, INVALID);
      await pass(1);
      const fired = await list();
      expect(fired.map(({ kind, value }) => [kind, value]).sort()).toEqual([
        ["failure_rate", 50],
        ["invalid_rate", 50],
      ]);
      const path = toAlertPath(fired.find(({ kind }) => kind === "invalid_rate") as Alert);
      expect(path).toContain("status=invalid&source=agent%2Cgateway%2Cbackground%2Capi%2Capp");
    });
  });

  it("approvals that wait and changes that are held fire by tool and by server", async () => {
    await alerts.createRule(
      ada,
      readRule({ name: "Waits", kind: "approval_waiting", threshold: 10, notify: "operator" }),
    );
    await alerts.createRule(ada, readRule({ name: "Held", kind: "change_held", threshold: 2, server: null }));
    waiting = [
      { tool: "files__delete", requestedAt: now - 12 * MINUTE },
      { tool: "files__delete", requestedAt: now - 11 * MINUTE },
      { tool: "deploy", requestedAt: now - 9 * MINUTE },
    ];
    servers = [{ name: "files", status: "connected", heldCount: 2 }];
    await pass(1);
    const found = await list();
    expect(found.map(describeAlert).sort()).toEqual([
      "2 changes of files wait for review",
      "A call of files__delete has waited 12 min for approval",
    ]);
    expect(found.map(toAlertPath).sort()).toEqual(["/approvals", "/servers/files/changes"]);
    await pass(1);
    expect((await list()).map(({ tool }) => tool)).toContain("deploy");
  });

  it("a limit fires at 80 percent, once for each key that it counts, also over a restart, and is resolved below", async () => {
    const use = (user: string, used: number): LimitUsage => ({
      ruleId: "rule_budget",
      ruleName: "Budget",
      key: JSON.stringify(["money", 1_440, "user", [user]]),
      parts: [{ of: "user", value: user }],
      measure: "money",
      used,
      most: 5,
      minutes: 1_440,
      freeAt: used >= 5 ? now + HOUR : null,
    });
    const rule = readRule({ name: "Budgets", kind: "limit_usage", threshold: 80 });
    usage = [use("ada", 4.5), use("eve", 1)];
    expect(await alerts.preview(rule)).toMatchObject({ days: 0, fired: 1, points: [] });
    await alerts.createRule(ada, rule);
    usage = [use("ada", 3.999999), use("eve", 1)];
    await pass(2);
    expect(await list()).toEqual([]);
    usage = [use("ada", 4), use("eve", 1)];
    await pass(2);
    alerts = openService();
    usage = [use("ada", 5), use("eve", 4.2)];
    await Promise.all([alerts.evaluate(), openService().evaluate()]);
    await pass(2);
    const limit = (user: string) => ({
      ruleId: "rule_budget",
      ruleName: "Budget",
      parts: [{ of: "user", value: user }],
    });
    const fired = await list();
    expect(fired).toMatchObject([
      { limit: limit("eve"), value: 84, tool: null, resolvedAt: null },
      { limit: limit("ada"), value: 80, tool: null, resolvedAt: null },
    ]);
    expect(fired.map(describeAlert)).toEqual(["84% of Budget is used: user eve", "80% of Budget is used: user ada"]);
    // Instances may tell of one event twice, by one identity.
    const once = [...new Map(told.map((each) => [`${each.event} ${each.identity}`, each])).values()];
    expect(once.map(({ data }) => [data.limit, data.limitFor])).toEqual([
      ["Budget", "user ada"],
      ["Budget", "user eve"],
    ]);
    usage = [use("eve", 4.9)];
    await pass(6);
    expect((await list()).map(({ resolvedAt }) => resolvedAt === null)).toEqual([true, false]);
    expect(events().filter((event) => event === "resolved")).toHaveLength(1);
    usage = [];
    await pass(6);
    expect((await list()).every(({ resolvedAt }) => resolvedAt !== null)).toBe(true);
    usage = [use("eve", 5)];
    await pass(12);
    expect(await list()).toHaveLength(3);
  });

  it("a rule about limits is about no tool and no server", () => {
    for (const scope of [{ tool: "charge" }, { server: "files" }, { each: "tool" }]) {
      const { error } = alertRuleInputSchema.safeParse({
        name: "Budgets",
        kind: "limit_usage",
        threshold: 80,
        ...scope,
      });
      expect(error?.issues.map(({ path }) => path[0])).toEqual(Object.keys(scope));
    }
  });

  it("instances that check at the same time fire one alert, and one that is lost leaves no event out", async () => {
    await alerts.createRule(ada, readRule(RATE));
    fail(50);
    const others = [openService(), openService()];
    tell = () => Promise.reject(new Error("this copy is lost"));
    await Promise.allSettled([alerts, ...others].map((each) => each.evaluate()));
    expect(await list()).toHaveLength(1);
    expect(told).toEqual([]);
    tell = async (happening) => void told.push(happening);
    await pass(2);
    expect(told).toMatchObject([{ event: "alert.fired", identity: (await list())[0]?.id }]);
  });

  it("users see the alerts for their role, and what they have read is their own", async () => {
    await alerts.createRule(ada, readRule({ ...RATE, notify: "editor", webhooks: false }));
    await alerts.createRule(ada, readRule({ ...RATE, name: "For all", tool: null }));
    fail(50);
    await pass(1);
    expect(events()).toEqual(["fired"]);
    expect([await alerts.unread(vic), await alerts.unread(ada)]).toEqual([1, 2]);
    expect((await list(vic)).map(({ rule }) => rule)).toEqual(["For all"]);
    const { items, readSeq } = await alerts.notices(ada);
    expect([items.length, readSeq]).toEqual([2, 0]);
    await alerts.markRead(ada, items[0]?.seq ?? 0);
    await alerts.markRead(ada, 0);
    expect([await alerts.unread(vic), await alerts.unread(ada)]).toEqual([1, 0]);
  });

  it("rules that are disabled, deleted or about something else resolve their alerts; names and scopes are checked", async () => {
    const { id } = await alerts.createRule(ada, readRule(RATE));
    await expect(alerts.createRule(ada, readRule({ ...RATE, name: "CHARGES FAIL" }))).rejects.toMatchObject({
      code: "CONFLICT",
    });
    await expect(alerts.createRule(ada, readRule({ ...RATE, tool: "nope", name: "x" }))).rejects.toMatchObject({
      code: "INVALID",
      message: "tool: there is no tool 'nope'",
    });
    expect(alertRuleInputSchema.safeParse({ ...RATE, kind: "server_down" }).success).toBe(false);
    const each = { name: "x", kind: "failure_rate", threshold: 5, each: "tool" };
    expect(alertRuleInputSchema.safeParse(each).success).toBe(true);
    expect(alertRuleInputSchema.safeParse({ ...each, kind: "server_down" }).success).toBe(false);
    expect(alertRuleInputSchema.safeParse({ ...each, server: "files" }).error?.issues[0]?.path).toEqual(["each"]);
    fail(50);
    await pass(1);
    await alerts.updateRule(ada, id, readRule({ ...RATE, threshold: 30 }));
    expect(await list()).toMatchObject([{ resolvedAt: null }]);
    await alerts.updateRule(ada, id, readRule({ ...RATE, enabled: false }));
    await pass(1);
    expect([events(), (await alerts.rules())[0]?.firing]).toEqual([["fired", "resolved"], 0]);
    await alerts.updateRule(ada, id, readRule(RATE));
    await pass(1);
    await alerts.deleteRule(ada, id);
    await pass(1);
    expect([events(), await list()]).toMatchObject([
      ["fired", "resolved", "fired", "resolved"],
      [{}, {}],
    ]);
    await expect(alerts.deleteRule(ada, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("a preview of approvals and held changes tells what waited in seven days", async () => {
    const executions = database().executions({ instanceId: "preview", clock: { now: () => now, elapsed: () => 0 } });
    try {
      const hour = Math.floor(now / HOUR) * HOUR;
      const request = async (id: string, from: number, until?: number) => {
        const asked = { requestedAt: from, expiresAt: now + HOUR, mode: null };
        await executions.begin(aStart({ id, toolName: "files__delete", waiting: true, request: asked }));
        if (until === undefined) return;
        const outcome = { status: "rejected", decidedAt: until, by: LOCAL_PRINCIPAL, reason: null } as const;
        await database()
          .approvals()
          .decide({ executionId: id, ...outcome });
      };
      await request("exec_old", hour - 200 * HOUR, hour - 199 * HOUR);
      await request("exec_late", hour - 30 * HOUR, hour - 30 * HOUR + 40 * MINUTE);
      await request("exec_soon", hour - 20 * HOUR, hour - 20 * HOUR + 5 * MINUTE);
      await request("exec_open", hour - HOUR);
      await request("exec_both", hour - HOUR);
      const waits = { name: "Waits", kind: "approval_waiting", threshold: 10 };
      const preview = await alerts.preview(readRule(waits));
      expect(preview).toMatchObject({ days: 7, fired: 2 });
      const found = preview.points.filter(({ value }) => value !== 0);
      expect(found.map(({ value, firing }) => [Math.round(value ?? 0), firing])).toEqual([
        [40, true],
        [5, false],
        [60, true],
        [61, true],
      ]);
      expect(await alerts.preview(readRule({ ...waits, server: null, tool: "charge" }))).toMatchObject({ fired: 0 });

      servers = [{ name: "files", status: "connected", heldCount: 1 }];
      const { pins } = database().servers({ secretBox: testSecretBox() });
      const entry = { name: "read" };
      const hold = (tool: string, at: number) =>
        pins.change("files", [{ kind: "hold", tool, hash: "v2", at, approved: { hash: "v1", entry } }]);
      await hold("read", hour - 50 * HOUR);
      await hold("write", hour - 49 * HOUR);
      const shown = { hash: "v2", status: "open", decision: "approve", entry, by: LOCAL_PRINCIPAL } as const;
      await pins.decide("files", { ...shown, tool: "read", at: hour - 48 * HOUR });
      const held = { name: "Held", kind: "change_held", threshold: 2 };
      expect(await alerts.preview(readRule(held))).toMatchObject({ days: 7, fired: 1 });
      const { fired, points } = await alerts.preview(readRule({ ...held, threshold: 1 }));
      expect([fired, points.filter(({ firing }) => firing).length]).toEqual([1, 51]);
      expect(points.find(({ start }) => start === hour - 49 * HOUR)).toMatchObject({ value: 2, firing: true });
    } finally {
      await executions.close();
    }
  });

  it("history ends after 30 days, and firing alerts stay", async () => {
    const store = database().alerts();
    const { id: ruleId } = await alerts.createRule(ada, readRule(RATE));
    fail(50);
    await pass(1);
    await store.settleRule(ruleId, now, false);
    await pass(1);
    await store.prune(now + 1, 100);
    expect(await list()).toMatchObject([{ resolvedAt: null }]);
    await store.settleRule(ruleId, now, false);
    await store.prune(0, 0);
    expect(await list()).toEqual([]);
    expect(jobs).toContain("alerts.prune");
  });

  it("a preview tells how often a rule would have fired in seven days, from rows by the hour", async () => {
    const executions = database().executions({ instanceId: "preview", clock: { now: () => now, elapsed: () => 0 } });
    try {
      let made = 0;
      const record = async (hoursAgo: number, failed: number, finished: number): Promise<void> => {
        for (let call = 0; call < finished; call += 1) {
          made += 1;
          const queuedAt = Math.floor(now / HOUR) * HOUR - hoursAgo * HOUR + call * 1_000;
          const start = aStart({ id: `exec_p${made}`, toolName: "charge", queuedAt });
          const isFailed = call < failed;
          const end = { executionTimeMs: isFailed ? 900 : 10, finishedAt: queuedAt + 1_000 };
          await executions.record(
            start,
            anEnd(start, isFailed ? { ...end, status: "failed", errorKind: "tool_error" } : end),
          );
        }
      };
      await record(100, 5, 10);
      await record(99, 0, 10);
      await record(50, 5, 10);
      await record(49, 6, 10);
      await record(20, 9, 9);
      alerts = openService(executions.statistics);
      const preview = await alerts.preview(readRule(RATE));
      expect(preview).toMatchObject({ days: 7, fired: 2, rebuilding: false });
      expect(preview.points).toHaveLength(168);
      expect(preview.points.flatMap(({ value }) => value ?? [])).toEqual([50, 0, 50, 60]);
      const wide = await alerts.preview(readRule({ ...RATE, windowMinutes: 120, threshold: 52 }));
      expect(wide.points.flatMap(({ value }) => value ?? [])).toEqual([50, 25, 0, 50, 55, 60]);
      expect(wide.fired).toBe(1);
      const slow = await alerts.preview(readRule({ ...RATE, kind: "p95_latency", threshold: 500 }));
      expect(slow.fired).toBe(2);
      servers = [{ name: "files", status: "failed", heldCount: 0 }];
      const down = { name: "Down", kind: "server_down", threshold: 5 };
      expect(await alerts.preview(readRule(down))).toMatchObject({ days: 7, fired: 0 });
    } finally {
      await executions.close();
    }
  });
});

it("a preview of what waits fires as the evaluation of each minute does", () => {
  const minutes = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 })), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(minutes, (lengths) => {
      let end = 0;
      const bad = lengths.map(([gap, length]) => {
        const from = end + gap;
        end = from + length;
        return { from: from * MINUTE, until: end * MINUTE };
      });
      let state = NO_STATE;
      const fired: number[] = [];
      for (let at = 0; at <= (end + 60) * MINUTE; at += MINUTE) {
        const level = bad.some(({ from, until }) => at >= from && at < until) ? "bad" : "clear";
        const next = advanceAlert(state, level, { now: at, newId: () => "alert" });
        state = next.state;
        if (next.event === "fired") fired.push(at);
      }
      expect(listFirings(bad).map(({ from }) => from)).toEqual(fired);
    }),
  );
});

describe("the link of an alert", () => {
  it("leads to the calls of its window", () => {
    const alert = {
      kind: "failure_rate",
      tool: "a,b",
      server: null,
      client: null,
      windowMinutes: 15,
      firedAt: HOUR,
      resolvedAt: null,
    } as const;
    expect(toAlertPath(alert)).toBe(
      `/executions?kind=tool&range=custom&since=${45 * MINUTE}&tool=a%252Cb&status=failed`,
    );
  });
});

it("an alert fires and is resolved as late as ever where its times were noted by a clock that was ahead", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 48 * 60 }), fc.boolean(), (minutes, isFiring) => {
      const noted = START + minutes * MINUTE;
      const state = { alertId: isFiring ? "a" : null, clearSince: noted, restUntil: noted };
      const level = isFiring ? "clear" : "bad";
      let current = state;
      for (let passed = 0; passed <= 15; passed += 1) {
        const now = START + passed * MINUTE;
        const { state: next, event } = advanceAlert(keepWithinClock(current, now), level, { now, newId: () => "b" });
        if (event !== null) return true;
        expect(next.clearSince ?? 0).toBeLessThanOrEqual(now);
        current = { ...next, clearSince: next.clearSince ?? noted };
      }
      return false;
    }),
  );
});
