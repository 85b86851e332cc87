import type { AlertPreview, AlertRuleInput } from "../../../lib/contract/alert";
import type { AlertKind } from "../../../lib/contract/alert-kinds";
import {
  isOfCalls,
  isOfScope,
  listSubjects,
  MINUTE_MS,
  type ReadingPorts,
  readLimits,
  toCallValue,
  toScope,
} from "./alert-readings";
import { advanceAlert, listFirings, NO_STATE, type Span, toLevel } from "./alert-state";
import type { AlertStore, WaitKind } from "./alert-store";

const HOUR_MS = 60 * MINUTE_MS;
const PREVIEW_DAYS = 7;
const HOURS = PREVIEW_DAYS * 24;

type Level = Span & { count: number };
type PreviewPorts = Pick<ReadingPorts, "statistics" | "servers" | "hasTool" | "limits" | "now"> & {
  store: Pick<AlertStore, "listWaits">;
};

const isOfWaits = (kind: AlertKind): kind is WaitKind => !isOfCalls(kind) && kind !== "limit_usage";

/** How often a rule would have fired in seven days. */
export async function previewRule(rule: AlertRuleInput, ports: PreviewPorts): Promise<AlertPreview> {
  if (rule.kind === "limit_usage") return await previewLimits(rule, ports);
  return await (isOfWaits(rule.kind) ? previewWaits(rule, rule.kind, ports) : previewCalls(rule, ports));
}

/** Earlier usage of limits is not kept, so the preview starts without it. */
async function previewLimits({ kind, threshold }: AlertRuleInput, { limits }: PreviewPorts): Promise<AlertPreview> {
  const readings = [...readLimits(await limits()).values()];
  const fired = readings.filter(({ value }) => toLevel(kind, value as number, threshold) === "bad").length;
  return { days: 0, fired, points: [], rebuilding: false };
}

/** The number of subjects to preview, those with most calls: each reads a separate week. */
const MOST_PREVIEWED = 50;

async function previewCalls(rule: AlertRuleInput, ports: PreviewPorts): Promise<AlertPreview> {
  const { each } = rule;
  const hour = Math.floor(ports.now() / HOUR_MS) * HOUR_MS;
  if (each === null) return await previewScope(rule, toScope(rule), hour, ports);
  const { groups, rebuilding } = await listSubjects(each, hour - HOURS * HOUR_MS, ports);
  const none = { days: PREVIEW_DAYS, fired: 0, points: [], rebuilding };
  let whole: AlertPreview = none;
  for (const { value } of groups.slice(0, MOST_PREVIEWED)) {
    const one = await previewScope(rule, { of: { dimension: each, value } }, hour, ports);
    whole = whole.points.length === 0 ? one : addPreviews(whole, one);
  }
  return whole;
}

/** Joins previews: the largest value of each hour, and all alerts. */
function addPreviews(one: AlertPreview, other: AlertPreview): AlertPreview {
  const points = one.points.map((point, at) => {
    const { value, firing } = other.points[at] ?? { value: null, firing: false };
    const values = [point.value, value].filter((each) => each !== null);
    return {
      start: point.start,
      value: values.length === 0 ? null : Math.max(...values),
      firing: point.firing || firing,
    };
  });
  return {
    days: one.days,
    fired: one.fired + other.fired,
    points,
    rebuilding: one.rebuilding || other.rebuilding,
  };
}

async function previewScope(
  rule: AlertRuleInput,
  scope: ReturnType<typeof toScope>,
  hour: number,
  ports: PreviewPorts,
): Promise<AlertPreview> {
  const steps = Math.max(1, Math.ceil((rule.windowMinutes * MINUTE_MS) / HOUR_MS));
  const since = hour - (HOURS + steps - 2) * HOUR_MS;
  const { points, rebuilding } = await ports.statistics.series({ since, span: "hour", ...scope }, steps);
  let state = NO_STATE;
  let fired = 0;
  const checked = points.slice(steps - 1).map(({ start, ...figures }) => {
    const value = toCallValue(rule, figures);
    const level = toLevel(rule.kind, value, rule.threshold);
    const next = advanceAlert(state, level, { now: start, newId: () => "preview", quietMs: 0 });
    state = next.state;
    if (next.event === "fired") fired += 1;
    return { start, value, firing: state.alertId !== null };
  });
  return { days: PREVIEW_DAYS, fired, points: checked, rebuilding };
}

/** The intervals from requests, blocked changes or lost servers until they were decided or over. */
async function previewWaits(
  rule: AlertRuleInput,
  kind: WaitKind,
  { store, servers, now }: PreviewPorts,
): Promise<AlertPreview> {
  const end = now();
  const since = (Math.floor(end / HOUR_MS) - HOURS + 1) * HOUR_MS;
  const enabled = new Set(servers().map(({ name }) => name));
  const waits = (await store.listWaits(kind, since)).filter(
    ({ subject }) => isOfScope(rule, subject) && (kind === "approval_waiting" || enabled.has(subject)),
  );
  const all = waits.map(({ subject, from, until }) => ({ subject, from, until: until ?? end }));
  const bySubject = new Map<string, Span[]>();
  for (const { subject } of all) if (!bySubject.has(subject)) bySubject.set(subject, []);
  for (const span of all) bySubject.get(span.subject)?.push(span);
  const levels: Level[] = [];
  const firings: Span[] = [];
  for (const spans of bySubject.values()) {
    // The threshold of approvals and servers in milliseconds; blocked changes count at once.
    const late = rule.threshold * MINUTE_MS;
    const [counted, least] = kind === "change_held" ? [spans, rule.threshold] : [delaySpans(spans, late), 1];
    const found = countTogether(counted);
    if (kind === "change_held") levels.push(...found);
    firings.push(...listFirings(found.filter(({ count }) => count >= least)));
  }
  const points = Array.from({ length: HOURS }, (_, at) => {
    const start = since + at * HOUR_MS;
    const until = Math.min(start + HOUR_MS, end);
    const overlaps = (span: Span): boolean => span.from < until && span.until > start;
    const values =
      kind === "change_held"
        ? levels.filter(overlaps).map(({ count }) => count)
        : all.filter(overlaps).map((wait) => (Math.min(wait.until, until) - wait.from) / MINUTE_MS);
    return { start, value: Math.max(0, ...values), firing: firings.some(overlaps) };
  });
  const fired = firings.filter(({ from }) => from >= since).length;
  return { days: PREVIEW_DAYS, fired, points, rebuilding: false };
}

const delaySpans = (spans: readonly Span[], ms: number): Span[] =>
  spans.map(({ from, until }) => ({ from: from + ms, until })).filter(({ from, until }) => from < until);

/** How many of the spans last at once, from each beginning or end to the next. */
function countTogether(spans: readonly Span[]): Level[] {
  const steps = spans.flatMap(({ from, until }) => [[from, 1] as const, [until, -1] as const]);
  steps.sort(([one], [other]) => one - other);
  const levels: Level[] = [];
  let count = 0;
  for (const [at, [from, step]] of steps.entries()) {
    count += step;
    const until = steps[at + 1]?.[0] ?? from;
    if (count > 0 && until > from) levels.push({ from, until, count });
  }
  return levels;
}
