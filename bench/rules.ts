/**
 * `npm run bench:rules`. (a) What rules add to a call through the executor, as a part of a gateway call of 3.2 ms, in alternating rounds
 * of one run, and a hook on loopback. (b) The longest time that hostile conditions and arguments hold the thread. (c) Previews and comparisons of 100,000 calls,
 * and the longest time that they hold the event loop. (d) What a rule adds that redacts a result, and the longest time that hostile
 * patterns hold the thread. (e) What it costs to store the price of a call. `--database postgres` starts a server.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { callRuleInputSchema, rulePreviewInputSchema } from "../src/lib/contract/call-rule";
import { ruleProposalsInputSchema } from "../src/lib/contract/rule-insight";
import { createToolEngine, systemClock } from "../src/server/create-tool-engine";
import { createCallCounts } from "../src/server/engine/rules/call-counts";
import { CallRules } from "../src/server/engine/rules/call-rules";
import { compileRules, type StoredCallRule } from "../src/server/engine/rules/decide-call";
import { HookEffects } from "../src/server/engine/rules/hooks/hook-effects";
import { LimitEffects } from "../src/server/engine/rules/limits/limit-effects";
import { createMemoryLimits } from "../src/server/engine/rules/limits/memory-limits";
import { PriceEffects } from "../src/server/engine/rules/prices/price-effects";
import { createLimitStore } from "../src/server/features/rules/db/limit-store";
import { createRuleStore } from "../src/server/features/rules/db/rule-store";
import { createHookSender } from "../src/server/features/rules/hook-sender";
import { createLimitCounts } from "../src/server/features/rules/limit-counts";
import { createRuleService } from "../src/server/features/rules/rule-service";
import { createConditionLanguage } from "../src/server/platform/conditions/condition-language";
import { BoundedRedactor } from "../src/server/platform/conditions/result-redactor";
import { quietLogger } from "../src/server/platform/db/database.test-support";
import { createOutgoingAgents } from "../src/server/platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../src/server/platform/outgoing/outgoing-fetch";
import { createWebhookSecret } from "../src/server/platform/shared/webhook-signature";
import { openBenchDatabases, openBenchStore, readKind } from "./bench-database";
import { BENCH_DEFINITION, benchEnd, benchStart } from "./executor-durable";
import { median } from "./median";

/** Microseconds of a call through the gateway, the median of `npm run bench:gateway`. */
const GATEWAY_US = 3_200;
const CALLS = 5_000;
const HOOKED_CALLS = 100;
const ROUNDS = 21;
const PREVIEWED = 100_000;
const language = createConditionLanguage();

/** Of the processor, to which other programs add less. */
function readCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const readRules = (rules: readonly object[]): StoredCallRule[] =>
  rules.map((rule, index) => ({
    ...callRuleInputSchema.parse({ name: `rule ${index}`, effect: { kind: "deny", reason: "no" }, ...rule }),
    id: `rule_${index}`,
    version: 1,
  }));

const ELSEWHERE = readRules(Array.from({ length: 10 }, (_, index) => ({ scope: { tools: [`pay_${index}_*`] } })));
const MATCHING = readRules(
  Array.from({ length: 10 }, (_, index) => ({
    state: "record",
    condition: `args.location.startsWith("W") && args.above > ${index}.0 && "celsius" == args.units`,
  })),
);
const LIMIT = readRules([{ effect: { kind: "limit", most: 100_000_000, minutes: 60, per: ["user", "tool"] } }]);
const PRICE = readRules([{ effect: { kind: "price", price: "0.002" } }]);
const EVALUATED = readRules(
  Array.from({ length: 10 }, (_, index) => ({
    condition: `args.above > 100.0 + ${index}.0 && args.units == "kelvin"`,
  })),
);

const toHooks = (url: string, count = 1) =>
  readRules(Array.from({ length: count }, () => ({ effect: { kind: "hook", url } })));

/** A receiver in this process, whose part of the work counts too. */
async function startHook() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end('{"decision":"allow"}'));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const secret = createWebhookSecret();
  const agents = createOutgoingAgents();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    sender: createHookSender({
      now: systemClock.now,
      elapsed: systemClock.elapsed,
      userAgent: "Toolroom-Hooks/bench",
      fetch: createOutgoingFetch(agents),
      readSecret: () => secret,
    }),
    async close(): Promise<void> {
      for (const agent of Object.values(agents)) agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function measureCalls(): Promise<void> {
  const hook = await startHook();
  const args = { units: "celsius", alerts: true, above: 30.5, ...JSON.parse(benchStart().argumentsText) };
  let current = compileRules([], { language });
  const { registry, executor, close } = createToolEngine({
    rules: new CallRules({
      added: [
        new HookEffects({ clock: systemClock, sender: hook.sender, readRole: () => "operator" }),
        new PriceEffects(language),
        new LimitEffects({ counter: createMemoryLimits(), clock: systemClock }),
      ],
      current: () => current,
      accounts: true,
      readRole: () => "operator",
      counts: createCallCounts(),
    }),
  });
  registry.register(BENCH_DEFINITION);
  const variants = {
    "no rules": compileRules([], { language }),
    "10 rules about other tools": compileRules(ELSEWHERE, { language }),
    "10 conditions, none matches": compileRules(EVALUATED, { language }),
    "10 rules that match": compileRules(MATCHING, { language }),
    "1 limit that matches": compileRules(LIMIT, { language }),
    "1 price": compileRules(PRICE, { language }),
    "1 hook on loopback": compileRules(toHooks(hook.url), { language }),
    "4 hooks on loopback": compileRules(toHooks(hook.url, 4), { language }),
  };
  const times = new Map(Object.keys(variants).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, rules] of Object.entries(variants)) {
      current = rules;
      const begun = readCpuUs();
      const calls = name.includes("hook") ? HOOKED_CALLS : CALLS;
      for (let call = 0; call < calls; call += 1) {
        if (!(await executor.execute("get_weather", args)).success) throw new Error("the call failed");
      }
      if (round > 0) times.get(name)?.push((readCpuUs() - begun) / calls);
    }
  }
  await close();
  await hook.close();
  const without = times.get("no rules") ?? [];
  console.log(`(a) microseconds a call, median of ${ROUNDS - 1} rounds; added, and as a part of ${GATEWAY_US} µs`);
  for (const [name, each] of times) {
    const added = median(each.map((us, index) => us - (without[index] ?? 0)));
    console.log(
      `${name}: ${median(each).toFixed(2)} · ${added.toFixed(2)} · ${((100 * added) / GATEWAY_US).toFixed(2)}%`,
    );
  }
}

const LONG = "a".repeat(1_000_000);
const LIST = Array.from({ length: 20_000 }, (_, index) => `${"a".repeat(50)}${index}`);
const HOSTILE: readonly [condition: string, args: object][] = [
  ['args.s.matches("^(a+)+$")', { s: `${LONG}!` }],
  ['args.s.matches("(x+x+)+y")', { s: "x".repeat(200_000) }],
  ['args.s.matches("(a?){200}a{200}")', { s: "a".repeat(2_000) }],
  ["args.l.all(a, args.l.all(b, args.l.all(c, a == b || b != c || a != c)))", { l: LIST }],
  ["args.l.exists(a, args.l.exists(b, (a + b).contains(b + a + 'x')))", { l: LIST }],
  ["args.s.contains(args.t)", { s: LONG, t: `${"a".repeat(500_000)}b` }],
  ["args.l.all(x, !args.s.contains(x + 'b'))", { s: LONG, l: LIST }],
  [`args.l.map(x, x + x).map(x, x + x).map(x, x + x).size() == args.l.filter(x, x.size() > 0).size() + 1`, { l: LIST }],
  [
    "args.m == args.n && args.m != args.n",
    { m: Object.fromEntries(LIST.map((key) => [key, key])), n: Object.fromEntries(LIST.map((key) => [key, key])) },
  ],
  ["args.l.all(x, args.l.all(y, time.getHours('Europe/Berlin') >= 0))", { l: LIST }],
  [`${"args.s + ".repeat(200)}"b" == "c"`, { s: LONG }],
];

function measureHostile(): void {
  let longest = 0;
  for (const [condition, args] of HOSTILE) {
    const text = JSON.stringify(args);
    const parsed = JSON.parse(text) as unknown;
    const rules = compileRules(readRules([{ condition }]), { language });
    const begun = readCpuUs();
    rules.decide({
      toolName: "a",
      serverName: null,
      toolset: null,
      tags: [],
      actor: { id: "a", name: "A" },
      role: "admin",
      tokenId: null,
      client: null,
      source: "api",
      stored: false,
      kind: "tool",
      canWait: true,
      at: 0,
      readArguments: () => parsed,
      count: () => 0,
    });
    const ms = (readCpuUs() - begun) / 1_000;
    longest = Math.max(longest, ms);
    console.log(`${ms.toFixed(1)} ms · ${condition.slice(0, 70)}`);
  }
  console.log(`(b) longest ${longest.toFixed(1)} ms (at most 50)\n`);
}

/** Results in which the rule finds one address. */
const RESULTS: readonly [name: string, text: string, calls: number][] = [
  ["100 B", `${"x ".repeat(40)}ada@example.com`, 5_000],
  ["100 kB", `${"lorem ipsum ".repeat(8_300)}ada@example.com`, 200],
];
const REDACTING = readRules([{ effect: { kind: "redact", presets: ["email"], paths: ["result.items[*].email"] } }]);
const HOSTILE_PATTERNS = ["(a.*b|a)", "(x+x+)+y", "(a?){200}a{200}", "[a-z]+@"];

const toInput = (chars: number) => ({
  text: JSON.stringify("a".repeat(chars)),
  marker: "#",
  fromServer: false,
  keepTypes: false,
});

async function measureResults(): Promise<void> {
  const redactor = new BoundedRedactor({ home: process.cwd() });
  let current = compileRules([], { language });
  const { executor, close } = createToolEngine({
    rules: new CallRules({
      added: [],
      redactor,
      current: () => current,
      accounts: true,
      readRole: () => "operator",
      counts: createCallCounts(),
    }),
  });
  const args = { units: "celsius", alerts: true, above: 30.5, ...JSON.parse(benchStart().argumentsText) };
  for (const [name, text, calls] of RESULTS) {
    const provided = { definition: BENCH_DEFINITION, run: async () => text };
    const measure = async (rules: readonly StoredCallRule[]): Promise<number> => {
      current = compileRules(rules, { language });
      const begun = readCpuUs();
      for (let call = 0; call < calls; call += 1) {
        const answer = await executor.execute("get_weather", args, { provided });
        const isRedacted = answer.success && !String(answer.result).includes("ada@");
        if (!answer.success || isRedacted !== rules.length > 0) throw new Error("the rule did not apply");
      }
      return (readCpuUs() - begun) / calls;
    };
    const rounds: [without: number, redacted: number][] = [];
    for (let round = 0; round < 6; round += 1) rounds.push([await measure([]), await measure(REDACTING)]);
    const without = median(rounds.slice(1).map(([us]) => us));
    const added = median(rounds.slice(1).map(([us, redacted]) => redacted - us));
    const part = ((100 * added) / GATEWAY_US).toFixed(2);
    console.log(`(d) redacted result of ${name}: ${without.toFixed(1)} µs · ${added.toFixed(1)} added · ${part}%`);
  }
  await close();
  let longest = 0;
  // The first one builds the thread's program.
  await redactor.redact({ paths: [], presets: ["email"], patterns: ["a.*b"] }, toInput(1_000_000));
  for (const pattern of HOSTILE_PATTERNS) {
    for (const chars of [2_000, 20_000, 500_000, 7_000_000]) {
      const input = toInput(chars);
      const begun = readCpuUs();
      const found = redactor.redact({ paths: [], presets: [], patterns: [pattern] }, input);
      longest = Math.max(longest, (readCpuUs() - begun) / 1_000);
      await found;
    }
  }
  await redactor.close();
  console.log(`(d) longest search in this thread ${longest.toFixed(1)} ms (at most 50)\n`);
}

async function measurePreview(): Promise<void> {
  const databases = await openBenchDatabases(readKind());
  const { db, remove } = await databases.create();
  const store = openBenchStore(db);
  const now = Date.now();
  for (let made = 0; made < PREVIEWED; made += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => {
        const start = benchStart();
        start.queuedAt = now - (PREVIEWED - made - index) * 5;
        const attempt = (made + index) % 100;
        start.argumentsText = JSON.stringify({ ...JSON.parse(start.argumentsText), attempt });
        const failed = attempt > 97 ? ({ status: "failed", error: "no", errorKind: "tool_error" } as const) : {};
        return store.record(start, { ...benchEnd(start.id), ...failed });
      }),
    );
  }
  await store.drain();
  // The slices of the index and of the statistics are not those of a preview.
  await Promise.all([store.drainIndex(), store.drainStatistics()]);
  // A database in use was vacuumed since its last hundred thousand rows.
  if (db.kind === "postgres") await db.pool.query("VACUUM ANALYZE");
  const service = createRuleService({
    store: createRuleStore(db),
    limits: createLimitCounts({
      store: createLimitStore(db),
      isShared: db.kind === "postgres",
      logger: quietLogger(),
      now: Date.now,
    }),
    onUsage: () => undefined,
    language,
    redactor: new BoundedRedactor({ home: process.cwd() }),
    definitions: () => [],
    readRole: () => "operator",
    newId: () => "rule_1",
    now: Date.now,
    onChange: () => undefined,
  });
  await service.load();
  const rule = { name: "a", effect: { kind: "ask" } };
  const [last] = (await store.list({}, { limit: 1 })).items;
  const reads: Record<string, () => Promise<{ calls: number }>> = {
    ...Object.fromEntries(
      ["", 'args.location.startsWith("W") && has(args.units)', "count(60) > 10"].map((condition) => [
        condition || "every call",
        () => service.preview(rulePreviewInputSchema.parse({ rule: { ...rule, condition } })),
      ]),
    ),
    "every call with a text": () =>
      service.preview(
        rulePreviewInputSchema.parse({ rule, filter: { q: JSON.parse(benchStart().argumentsText).location } }),
      ),
    "conditions that a call proposes": () =>
      service.propose(ruleProposalsInputSchema.parse({ execution: last?.id ?? "" })),
    "what would have caught a call": () => service.caught(last?.id ?? ""),
  };
  for (const [name, read] of Object.entries(reads)) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const begun = performance.now();
    const begunCpu = readCpuUs();
    const found = await read();
    const seconds = (performance.now() - begun) / 1_000;
    const busy = (readCpuUs() - begunCpu) / 1e6;
    delay.disable();
    console.log(
      `(c) ${name}: ${found.calls} calls, ${seconds.toFixed(2)} s (at most 3), busy ${busy.toFixed(2)} s, ` +
        `longest slice ${(delay.max / 1e6).toFixed(0)} ms (at most 50)`,
    );
  }
  await store.close();
  await remove();
  await databases.close();
}

const STORED = 2_000;
const STORE_ROUNDS = 11;
/** Calls that end within one turn of the event loop. */
const TOGETHER = 20;

/** What storing the price of a call costs, in the table and in the spend of its day. */
async function measureSpend(): Promise<void> {
  const databases = await openBenchDatabases(readKind());
  const { db, remove } = await databases.create();
  const store = openBenchStore(db);
  const times = new Map([
    [null, [] as number[]],
    [0.002, [] as number[]],
  ]);
  for (let round = 0; round < STORE_ROUNDS; round += 1) {
    for (const [cost, each] of times) {
      const begun = readCpuUs();
      for (let made = 0; made < STORED; made += TOGETHER) {
        const starts = Array.from({ length: TOGETHER }, () => benchStart());
        await Promise.all(starts.map((start) => store.begin(start)));
        await Promise.all(starts.map((start) => store.finish(start, { ...benchEnd(start.id), cost })));
      }
      if (round > 0) each.push((readCpuUs() - begun) / STORED);
    }
  }
  await store.drain();
  await store.close();
  await remove();
  await databases.close();
  const [without = [], priced = []] = times.values();
  const added = median(priced.map((us, index) => us - (without[index] ?? 0)));
  console.log(
    `(e) microseconds to store a call: ${median(without).toFixed(1)} without a price, ${median(priced).toFixed(1)} with one; ` +
      `added ${added.toFixed(1)}, ${((100 * added) / GATEWAY_US).toFixed(2)}% of ${GATEWAY_US} µs`,
  );
}

await measureCalls();
measureHostile();
await measureResults();
await measureSpend();
if (!process.argv.includes("--calls")) await measurePreview();
