import type { Actor } from "../../../lib/contract/actor";
import type {
  ChangeReview,
  ReviewedChange,
  TrafficWindowInput,
  WaitingChanges,
} from "../../../lib/contract/change-review";
import type { SchemaChecker } from "../../../lib/contract/change-verdict";
import {
  type ChangeReport,
  findStrongest,
  type RuleSettings,
  reachesSeverity,
  type SchemaVerdict,
  type TrafficVerdict,
} from "../../../lib/contract/change-verdict";
import type { ChangedToolsPolicy, HeldChange, HeldChangePage } from "../../../lib/contract/held-change";
import { isPlainObject } from "../../../lib/contract/json";
import type {
  SkillChange,
  SkillDecision,
  SkillDecisionOutcome,
  SkillReference,
  SkillVersions,
} from "../../../lib/contract/skill-change";
import { catalogToolName } from "../../../lib/portable-name";
import { byName } from "../../../lib/schema/compare/compare-tool";
import type { Clock } from "../../engine/ports";
import { AppError } from "../../platform/shared/app-error";
import { type ChangeReports, toWindow, type WaitingChange } from "./change-reports";
import type { CheckTraffic } from "./check-traffic";
import { createReplays, isReplayable, type ReplayPorts } from "./replays";
import type { ReportStore } from "./report-store";

const MAX_CANDIDATE_TOOLS = 2_000;
const MAX_CACHED = 1_000;
const DAY_MS = 86_400_000;
const UNITS = { m: 60_000, h: 3_600_000, d: DAY_MS } as const;

export interface ChangesPorts extends Omit<ReplayPorts, "waitingChanges" | "store"> {
  store: ReportStore;
  reports: ChangeReports;
  checkTraffic: CheckTraffic;
  checkSchemas: SchemaChecker["check"];
  skills: {
    /** The versions of a server's skills that clients do not have. */
    changes(server: string): SkillChange[];
    versions(server: string, uri: string, hash: string): Promise<SkillVersions>;
    decide(
      actor: Actor,
      server: string,
      references: readonly SkillReference[],
      decision: SkillDecision,
    ): Promise<SkillDecisionOutcome>;
  };
  servers: {
    names(): string[];
    heldChanges(server: string): HeldChangePage;
    waitingChanges(server: string): WaitingChange[];
    /** The list that clients receive. */
    approvedList(server: string): readonly unknown[];
    policy(server: string): ChangedToolsPolicy;
    setPolicy(actor: Actor, server: string, policy: ChangedToolsPolicy): Promise<unknown>;
  };
  clock: Clock;
}

/** The changes of servers that wait, with all that is known about them. */
export function createChangesService(ports: ChangesPorts) {
  const { servers, store, reports, clock } = ports;
  const { settle, stop, ...replays } = createReplays({ ...ports, waitingChanges: servers.waitingChanges });
  const checkHeld = createHeldCheck(ports);

  async function review(server: string): Promise<ChangeReview> {
    const { items, total } = servers.heldChanges(server);
    const [schemas, stored, replayable] = await Promise.all([
      checkHeld(server),
      store.list(server),
      store.replayable(server),
    ]);
    const known = new Map(stored.map((report) => [report.tool, report]));
    const reviewed = items.map((change): ReviewedChange => {
      const report = known.get(change.tool);
      const own = report?.hash === change.hash ? report : null;
      return {
        ...change,
        schema: schemas.get(change.tool) ?? null,
        traffic: own?.traffic ?? null,
        judgedAt: own?.judgedAt ?? null,
        replay: settle(own?.replay ?? null),
      };
    });
    const allowed = new Set(replayable.map(({ tool }) => tool));
    const proposed = servers
      .waitingChanges(server)
      .filter((change) => isReplayable(change) && !allowed.has(change.tool) && isReadOnly(change.before?.entry))
      .map(({ tool }) => tool);
    const changed = { items: reviewed, total, skills: ports.skills.changes(server) };
    return { server, policy: servers.policy(server), ...changed, replayable, proposed };
  }

  return {
    ...replays,
    stop,
    review,
    waiting: () => listWaiting(ports),
    check: (server: string, candidate: Candidate) => checkCandidate(server, candidate, ports),

    skillChanges(server: string): SkillChange[] {
      servers.policy(server);
      return ports.skills.changes(server);
    },

    /** Both versions of a changed skill with the texts of their files. @throws AppError NOT_FOUND */
    async skillVersions(server: string, uri: string, hash: string): Promise<SkillVersions> {
      servers.policy(server);
      return await ports.skills.versions(server, uri, hash);
    },

    /** Approves versions of skills, or keeps the approved ones. */
    async decideSkills(
      actor: Actor,
      server: string,
      references: readonly SkillReference[],
      decision: SkillDecision,
    ): Promise<SkillDecisionOutcome> {
      servers.policy(server);
      return await ports.skills.decide(actor, server, references, decision);
    },

    /** Chooses whether changed tools and skills wait for a review. */
    async setPolicy(actor: Actor, server: string, policy: ChangedToolsPolicy): Promise<ChangeReview> {
      await servers.setPolicy(actor, server, policy);
      return await review(server);
    },

    /** Checks recorded calls again, of another window. Makes no call. */
    async recheck(_actor: Actor, server: string, window: TrafficWindowInput): Promise<ChangeReview> {
      await reports.checkAgain(server, servers.waitingChanges(server), toWindow(window, clock.now()));
      return await review(server);
    },

    /** Replaces the tools whose calls may be replayed. */
    async setReplayable(actor: Actor, server: string, tools: readonly string[]): Promise<ChangeReview> {
      servers.policy(server);
      await store.setReplayable(server, tools, actor, clock.now());
      ports.publish(server);
      return await review(server);
    },
    replayableTools: async (server: string): Promise<string[]> =>
      (await store.replayable(server)).map(({ tool }) => tool),
  };
}

/** Schema verdicts on what waits at a server; each is made once. */
function createHeldCheck({ servers, checkSchemas }: ChangesPorts) {
  const verdicts = new Map<string, SchemaVerdict>();
  return async (server: string): Promise<ReadonlyMap<string, SchemaVerdict>> => {
    const changes = servers.waitingChanges(server).filter(({ before }) => before !== null);
    const toKey = ({ tool, hash }: WaitingChange) => JSON.stringify([server, tool, hash]);
    const unknown = changes.filter((change) => !verdicts.has(toKey(change)));
    if (unknown.length > 0) {
      const { verdicts: checked } = await checkSchemas(
        unknown.map(({ before }) => before?.entry),
        unknown.flatMap(({ after }) => (after === undefined ? [] : [after])),
      );
      if (verdicts.size > MAX_CACHED) verdicts.clear();
      const byTool = new Map(checked.map((verdict) => [verdict.tool, verdict]));
      for (const change of unknown) {
        const verdict = byTool.get(change.tool);
        if (verdict !== undefined) verdicts.set(toKey(change), verdict);
      }
    }
    const found = new Map<string, SchemaVerdict>();
    for (const change of changes) {
      const verdict = verdicts.get(toKey(change));
      if (verdict !== undefined) found.set(change.tool, verdict);
    }
    return found;
  };
}

/** The servers with changes that wait or are in use, with what the newest verdicts say together. */
async function listWaiting({ servers, store, skills }: ChangesPorts): Promise<WaitingChanges[]> {
  const toKey = (server: string, { tool, hash }: { tool: string; hash: string }) =>
    JSON.stringify([server, tool, hash]);
  const known = new Map((await store.listAll()).map((report) => [toKey(report.server, report), report]));
  return servers.names().flatMap((server) => {
    const { items } = servers.heldChanges(server);
    const undecided = items.filter(({ status }) => status === "open" || status === "applied");
    const openSkills = skills.changes(server).filter(({ status }) => status === "open").length;
    if (undecided.length + openSkills === 0) return [];
    const open = undecided.filter(({ status }) => status === "open");
    const traffic = undecided.flatMap((change) => known.get(toKey(server, change))?.traffic ?? []);
    const isQuestioned = ({ tool, kind }: HeldChange) =>
      kind === "breaking" ||
      kind === "removed" ||
      traffic.some((each) => each.tool === tool && reachesSeverity(each.severity, "warning"));
    const [worst] = traffic.filter(({ broken }) => broken > 0).sort((left, right) => right.broken - left.broken);
    return {
      server,
      skills: openSkills,
      open: open.length,
      applied: undecided.length - open.length,
      questioned: open.filter(isQuestioned).length,
      broken: sum(traffic.map(({ broken }) => broken)),
      total: sum(traffic.map(({ total }) => total)),
      unjudged: undecided.filter(({ kind }) => kind !== "added").length - traffic.length,
      reason: worst === undefined ? null : describeWorst(worst),
    };
  });
}

/** A list of tools that is not in use. */
interface Candidate {
  tools: readonly unknown[];
  rules?: RuleSettings | undefined;
  /** The newest recorded calls of each tool that are checked. */
  calls: number;
  /** The window, such as `30d`; null: recorded calls are not checked. */
  last: string | null;
}

/** Checks a list of tools against the recorded calls of a time window. Makes no call. */
async function checkCandidate(
  server: string,
  { tools, rules, calls, last }: Candidate,
  { servers, checkSchemas, checkTraffic, clock }: ChangesPorts,
): Promise<ChangeReport> {
  const before = servers.approvedList(server);
  if (tools.length > MAX_CANDIDATE_TOOLS) {
    throw new AppError("INVALID", `tools: has more than ${MAX_CANDIDATE_TOOLS} entries`);
  }
  const { verdicts: schema, unchanged } = await checkSchemas(before, tools, rules);
  const was = byName(before);
  const is = byName(tools);
  const changed = schema.filter(({ change }) => change === "changed" || change === "removed");
  const traffic: TrafficVerdict[] = [];
  for (const { tool } of last === null ? [] : changed) {
    const entries = { before: was.get(tool), after: is.get(tool) };
    const catalogName = catalogToolName(server, tool);
    const window = toWindow({ calls, days: last === null ? null : toDays(last) }, clock.now());
    const checked = await checkTraffic({ tool, catalogName, entries, window });
    traffic.push(checked.verdict);
  }
  const severity = findStrongest([...schema, ...traffic].map((each) => each.severity));
  const at = clock.now();
  return { server, at, schema, unchanged, traffic: last === null ? null : traffic, replay: null, severity };
}

/** @param last `90m`, `12h` or `30d` */
function toDays(last: string): number {
  return (Number(last.slice(0, -1)) * UNITS[last.slice(-1) as keyof typeof UNITS]) / DAY_MS;
}

function describeWorst({ reasons, fields, counts }: NonNullable<ReviewedChange["traffic"]>): string | null {
  if (counts.rejected > 0) return reasons[0]?.reason ?? null;
  return fields[0] === undefined ? null : `\`${fields[0].path}\` is gone from results`;
}

function isReadOnly(entry: unknown): boolean {
  const annotations = isPlainObject(entry) ? entry.annotations : undefined;
  return isPlainObject(annotations) && annotations.readOnlyHint === true;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
