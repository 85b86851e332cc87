import { type Actor, LOCAL_OWNER } from "../../../lib/contract/actor";
import type { CallEvent, CallEvents } from "../../../lib/contract/call-event";
import type { DecidingEffect } from "../../../lib/contract/call-rule";
import type { ExecutionSource, FiredLimit } from "../../../lib/contract/envelope";
import type { LogLine } from "../../../lib/contract/execution";
import type { RuleMatch } from "../../../lib/contract/rule-match";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { parseExact } from "../../../lib/json/exact-text";
import { writeKeptParts } from "../../../lib/json/known-text";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import { CallMask, UNKEYED } from "../masking/call-mask";
import type { MaskedValues } from "../masking/masked-values";
import type {
  CallAudience,
  Clock,
  ExecutionEnd,
  ExecutionObserver,
  InteractionHandler,
  Masking,
  SentLogMessage,
  ToolContext,
  ToolLogger,
} from "../ports";
import type { LimitCharge } from "../rules/limits/limit-ports";
import type { CallArguments } from "./call-arguments";
import type { CallGuard } from "./call-guard";
import type { CallLimit, CallTimeout } from "./call-limit";
import type { CallOutcome } from "./call-outcome";
import type { ExecuteOptions } from "./execute-options";
import { toInlineText } from "./inline-text";

/** The tool that a rule has run in place of the one that is called. */
export interface CallRoute {
  /** The rule's name. */
  rule: string;
  tool: string;
}

interface AppliedRoute extends CallRoute {
  /** The tool that is called. */
  from: ToolDefinition;
  /** Whether rules let calls of the one tool run without approval, and of the other. */
  lifted: { from: boolean; to: boolean };
}

/** One object holds the state, since many private fields would slow the call's constructor. */
interface CallState {
  timeout: CallTimeout | null;
  /** The start is in the journal, so the end has to follow it. */
  begun: boolean;
  /** The journal has a row of the call from before its tool was found. */
  listed: boolean;
  queuedAtElapsed: number;
  /** When the current phase started: validation, recording, or the run. */
  phaseStart: number;
  startedAt: number | null;
  validateMs: number | null;
  recordMs: number | null;
  runMs: number | null;
  waitedMs: number;
  heldMs: number;
  limit: CallLimit | null;
  timeoutHint: string | null;
  /** The facts of the server's call that the journal stores. */
  marks: Required<Pick<ExecutionEnd, "credential" | "taskId">>;
  /** The effect of the rule that decides the call; null where none does. */
  ruled: DecidingEffect | null;
  ruleMatches: readonly RuleMatch[];
  /** Whether the next record writes the matches. */
  matchesDue: boolean;
  /** The charges against limits that are not recorded yet. */
  charges: readonly LimitCharge[] | null;
  /** The cost in US dollars by the prices of rules; null where no rule has one. */
  cost: number | null;
  ruleWaitMs: number;
  /** Null where the tool that is called runs. */
  route: AppliedRoute | null;
  /** The rules that apply to the result; null where none do. */
  guard: CallGuard | null;
  /** Created on first use: most calls have no events. */
  events: CallEventLog | null;
  controller: AbortController | null;
  aborted: { reason: unknown } | null;
  masking: Masking;
  mask: { by: CallMask; argumentsText: string } | null;
}

const MAX_EVENTS = 500;
/** A chatty server leaves room for its questions. */
const MAX_LOGS = 100;
const MAX_CHARS = 262_144;

/** The events of a call beside its stored log lines; only the first ones are kept. */
export class CallEventLog {
  readonly #events: CallEvent[] = [];
  #chars = 0;
  #logs = 0;

  add(event: CallEvent, mask: CallMask): void {
    if ("log" in event && ++this.#logs > MAX_LOGS) return;
    const text = mask.json(writeKeptParts(event) ?? "null");
    this.#chars += text.length;
    if (this.#events.length < MAX_EVENTS && this.#chars <= MAX_CHARS) this.#events.push(parseExact(text) as CallEvent);
  }

  get events(): readonly CallEvent[] {
    return this.#events;
  }
}

/** For the end of a call; absent where nothing happened that its record does not hold. */
export function readCallEvents(
  log: CallEventLog | null,
  mask: CallMask,
  outcome: CallOutcome,
): { events?: CallEvents } {
  const error = outcome.success ? undefined : outcome.protocol_error;
  const events = log?.events ?? [];
  if (events.length === 0 && error === undefined) return {};
  const protocolError =
    error === undefined ? null : (parseExact(mask.json(writeKeptParts(error) ?? "null")) as typeof error);
  return { events: { events, protocolError } };
}

const MAX_LOG_LINES = 200;
const MAX_LOG_CHARS = 2000;
/** Longer texts are searched for secrets up to this length. */
const MAX_MASKED_CHARS = 4 * MAX_LOG_CHARS;
/** A call whose tool was found. */
export type ResolvedCall = RunningCall & { readonly definition: ToolDefinition; readonly timeoutMs: number };

interface CallPorts {
  clock: Clock;
  newId: () => string;
  observer?: ExecutionObserver | undefined;
  masking?: Masking | undefined;
}

/** One call in progress: its caller, its arguments, its times, and the context that the tool's code gets. */
export class RunningCall implements ToolContext {
  readonly executionId: string;
  readonly actor: Actor;
  readonly source: ExecutionSource;
  readonly queuedAt: number;
  readonly logs: LogLine[] = [];
  /** Only `replaceArguments` replaces them. */
  args: CallArguments;
  /** Null for an unknown tool. Set by `resolve` alone, as is the timeout. */
  definition: ToolDefinition | null = null;
  timeoutMs: number | null = null;
  readonly #clock: Clock;
  readonly #observer: ExecutionObserver | undefined;
  readonly #state: CallState;
  /** The state of the call, which only its own methods change. */
  readonly state: Readonly<CallState>;

  constructor(
    readonly toolName: string,
    args: CallArguments,
    readonly options: ExecuteOptions,
    { clock, newId, observer, masking }: CallPorts,
  ) {
    this.executionId = options.executionId ?? newId();
    this.actor = options.actor ?? LOCAL_OWNER;
    this.source = options.source ?? "api";
    this.queuedAt = clock.now();
    this.#clock = clock;
    this.#observer = observer;
    const queuedAtElapsed = clock.elapsed();
    this.args = args;
    this.#state = {
      timeout: null,
      begun: options.waiting === true,
      listed: false,
      queuedAtElapsed,
      phaseStart: queuedAtElapsed,
      startedAt: null,
      validateMs: null,
      recordMs: null,
      runMs: null,
      waitedMs: 0,
      heldMs: 0,
      limit: null,
      timeoutHint: null,
      marks: { credential: null, taskId: null },
      ruled: null,
      ruleMatches: [],
      matchesDue: false,
      charges: null,
      cost: null,
      ruleWaitMs: 0,
      route: null,
      guard: null,
      events: null,
      controller: null,
      aborted: null,
      masking: masking ?? UNKEYED,
      mask: null,
    };
    this.state = this.#state;
  }

  /** The mask for stored, shown and logged data of this call. */
  get mask(): CallMask {
    return this.#masked().by;
  }

  get maskedValues(): MaskedValues | null {
    return this.mask.values;
  }

  /** The arguments as they are stored: as sent, except for masked values. */
  get storedArgumentsText(): string {
    return this.#masked().argumentsText;
  }

  #masked(): { by: CallMask; argumentsText: string } {
    if (this.#state.mask === null) {
      const by = new CallMask(this.definition, this.#state.masking, {
        values: this.options.maskedValues,
        also: this.#state.route?.from,
      });
      this.#state.mask = { by, argumentsText: by.argumentsText(this.args.text) };
    }
    return this.#state.mask;
  }

  get timeoutSetBy(): FiredLimit["setBy"] {
    return this.#state.timeout?.setBy ?? "global";
  }

  markListed(): void {
    this.#state.listed = true;
  }

  /** The times that the journal stores. */
  get times(): Pick<ExecutionEnd, "startedAt" | "finishedAt" | "executionTimeMs" | "recordMs" | "runMs"> {
    const { startedAt, validateMs, recordMs, runMs, waitedMs, ruleWaitMs } = this.#state;
    const passedMs = (validateMs ?? 0) + ruleWaitMs + (recordMs ?? 0) + waitedMs + (runMs ?? 0);
    return {
      startedAt,
      finishedAt: Math.round(this.queuedAt + passedMs),
      executionTimeMs: this.executionTimeMs,
      recordMs,
      runMs,
    };
  }

  /** Validation and run; commits of the journal and waiting for a user do not count. */
  get executionTimeMs(): number {
    if (this.#state.validateMs === null) return this.#since(this.#state.queuedAtElapsed);
    const { validateMs, runMs, heldMs } = this.#state;
    return Math.round((validateMs + (runMs ?? 0) - heldMs) * 1000) / 1000;
  }

  /** The time the tool itself ran, without what it waited for a user; null where it did not run. */
  get durationMs(): number | null {
    const { runMs, heldMs } = this.#state;
    return runMs === null ? null : Math.round((runMs - heldMs) * 1000) / 1000;
  }

  /** Sets the tool that was found. */
  resolve(definition: ToolDefinition, timeout: CallTimeout): void {
    if (this.definition !== definition || this.#state.route !== null) this.#state.mask = null;
    this.definition = definition;
    this.timeoutMs = timeout.timeoutMs;
    this.#state.timeout = timeout;
    this.#state.route = null;
  }

  /** Sets the tool that runs in place of the one that was found. */
  routeTo(definition: ToolDefinition, timeout: CallTimeout, { rule, tool }: CallRoute): void {
    const from = this.definition;
    this.resolve(definition, timeout);
    if (from !== null) this.#state.route = { rule, tool, from, lifted: { from: false, to: false } };
  }

  /** Sets which of the tools of a routed call rules let run without approval. */
  setLifted(lifted: AppliedRoute["lifted"]): void {
    if (this.#state.route !== null) this.#state.route = { ...this.#state.route, lifted };
  }

  setRuled(effect: DecidingEffect | null, matches: readonly RuleMatch[]): void {
    this.#state.ruled = effect;
    this.#state.ruleMatches = matches;
    this.#state.matchesDue = true;
  }

  /** Sets the matches that are written once they have a note. */
  setMatches(matches: readonly RuleMatch[]): void {
    this.#state.ruleMatches = matches;
  }

  /** Replaces the deciding effect, for a limit that asks. */
  setDecision(effect: DecidingEffect): void {
    this.#state.ruled = effect;
  }

  /** Adds a note to the record of a matching rule. */
  noteMatch(ruleId: string, values: RuleMatch["values"]): void {
    this.#state.ruleMatches = this.#state.ruleMatches.map((match) =>
      match.ruleId === ruleId ? { ...match, values: { ...match.values, ...values } } : match,
    );
    this.#state.matchesDue = true;
  }

  addCharge(charge: LimitCharge): void {
    this.#state.charges = [...(this.#state.charges ?? []), charge];
  }

  /** Takes the charges for the next record. */
  takeCharges(): readonly LimitCharge[] | null {
    const { charges } = this.#state;
    this.#state.charges = null;
    return charges;
  }

  setCost(dollars: number): void {
    this.#state.cost = dollars;
  }

  /** Waiting for room under a limit, or for hooks, is no part of the validation. */
  noteRuleWait(ms: number): void {
    this.#state.ruleWaitMs += ms;
  }

  setGuard(guard: CallGuard | null): void {
    this.#state.guard = guard;
  }

  /** Adds what rules about the result did, for the record of the end. */
  addRuleMatches(matches: readonly RuleMatch[]): void {
    if (matches.length === 0) return;
    this.#state.ruleMatches = [...this.#state.ruleMatches, ...matches];
    this.#state.matchesDue = true;
  }

  /** Keeps the message of a failure that a rule withholds. */
  noteBlocked(error: string): void {
    const message = stripControlCharacters(this.#cut(`The tool failed: ${error}`));
    this.logs.push({ atMs: this.#since(this.#state.phaseStart), level: "error", message });
  }

  /** Takes the matches for the record that is written first. */
  takeRuleMatches(): readonly RuleMatch[] | null {
    const { ruleMatches, matchesDue } = this.#state;
    this.#state.matchesDue = false;
    return matchesDue ? ruleMatches : null;
  }

  /** Sets the arguments that a user put in place of those of the caller. */
  replaceArguments(args: CallArguments): void {
    this.args = args;
    this.#state.mask = null;
    this.#state.ruled = null;
  }

  markValidated(): void {
    this.#state.validateMs = this.#since(this.#state.queuedAtElapsed + this.#state.ruleWaitMs);
    this.#state.phaseStart = this.#clock.elapsed();
  }

  markBegun(): void {
    this.#state.begun = true;
    this.#state.recordMs = this.#since(this.#state.phaseStart);
  }

  /** @param since when the wait for approval started, on the clock's `elapsed` */
  markWaited(since: number): void {
    this.#state.waitedMs = this.#since(since);
  }

  markStarted(limit: CallLimit): void {
    this.#state.limit = limit;
    this.#state.startedAt = this.#clock.now();
    this.#state.phaseStart = this.#clock.elapsed();
  }

  markRan(): void {
    this.#state.runMs = this.#since(this.#state.phaseStart);
    this.#state.heldMs = this.#state.limit?.heldMs ?? 0;
  }

  /** Created on first use: most tools never read it, and a signal is the most expensive part of a short call. */
  get signal(): AbortSignal {
    const { aborted } = this.#state;
    this.#state.controller ??= new AbortController();
    const { controller } = this.#state;
    if (aborted && !controller.signal.aborted) controller.abort(aborted.reason);
    return controller.signal;
  }

  abort(reason: unknown): void {
    this.#state.aborted = { reason };
    this.#state.controller?.abort(reason);
  }

  /** A field, not a method: tools take it out of the context. */
  readonly progress = (progress: number, total?: number, message?: string): void => {
    this.#state.limit?.extend();
    const cutMessage = message === undefined ? null : this.#cut(message);
    this.addEvent({ progress, total, message: cutMessage ?? undefined });
    this.#observer?.progress(this.executionId, progress, total ?? null, cutMessage, this.#audience);
    const { guard } = this.#state;
    const sent = guard === null || cutMessage === null ? message?.slice(0, MAX_LOG_CHARS) : guard.guardText(cutMessage);
    this.options.onProgress?.(progress, total ?? null, sent ?? null);
  };

  addEvent(event: CallEvent): void {
    this.#state.events ??= new CallEventLog();
    this.#state.events.add(event, this.mask);
  }

  readonly hold = (): (() => void) => this.#state.limit?.hold() ?? (() => undefined);

  readonly setTimeoutHint = (text: string): void => {
    this.#state.timeoutHint = text.slice(0, MAX_LOG_CHARS);
  };

  readonly usePersonalCredential = (): void => {
    this.#state.marks.credential = "personal";
  };

  readonly markTask = (id: string): void => {
    this.#state.marks.taskId = this.mask.text(id);
  };

  get asTask(): boolean | undefined {
    return this.options.asTask;
  }

  get callerMeta(): Readonly<Record<string, unknown>> | undefined {
    return this.options.meta;
  }

  get interact(): InteractionHandler | undefined {
    const { interact } = this.options;
    const { guard } = this.#state;
    if (interact === undefined || guard === null) return interact;
    const guarded: InteractionHandler = async (request, signal, name) => {
      const sent = await guard.guardRequest(request);
      return sent === null ? null : await interact(sent, signal, name);
    };
    if (interact.client !== undefined) guarded.client = interact.client;
    return guarded;
  }

  /** Notes in the call's log that its result reaches no caller. */
  noteCallerGone(): void {
    const message = "The client disconnected before the response: no answer was delivered";
    const line: LogLine = { atMs: this.#since(this.#state.phaseStart), level: "warn", message, event: "caller_gone" };
    this.#observer?.log(this.executionId, line, this.logs.length, this.#audience);
    this.logs.push(line);
  }

  get logger(): ToolLogger {
    const at = (level: LogLine["level"]) => (fields: object | string, message?: string) => {
      this.#log(level, typeof fields === "string" ? fields : [message, toInlineText(fields)].filter(Boolean).join(" "));
    };
    return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  }

  readonly relayLog = (level: LogLine["level"], text: string, sent: SentLogMessage): void => {
    this.addEvent({ log: sent });
    this.#log(level, text, sent);
  };

  get #audience(): CallAudience {
    const owner = this.#state.marks.credential === "personal" ? this.actor.id : null;
    return { owner, runId: this.options.runId ?? null };
  }

  #log(level: LogLine["level"], text: string, sent?: SentLogMessage): void {
    const message = stripControlCharacters(this.#cut(text));
    const line: LogLine = { atMs: this.#since(this.#state.phaseStart), level, message };
    this.#observer?.log(this.executionId, line, this.logs.length, this.#audience);
    if (this.logs.length < MAX_LOG_LINES) this.logs.push(line);
    else if (this.logs.length === MAX_LOG_LINES) {
      this.logs.push({ ...line, level: "warn", message: `Only the first ${MAX_LOG_LINES} lines are kept` });
    }
    const { guard } = this.#state;
    if (guard === null) this.options.onLog?.(line, sent);
    else this.options.onLog?.({ ...line, message: guard.guardText(message) });
  }

  /** The beginning of a text, masked before it is cut so that no part of a secret is left. */
  #cut(text: string): string {
    const isCut = text.length > MAX_MASKED_CHARS;
    return this.mask.text(isCut ? text.slice(0, MAX_MASKED_CHARS) : text, isCut).slice(0, MAX_LOG_CHARS);
  }

  /** Milliseconds since a reading of the clock, in microsecond steps. */
  #since(since: number): number {
    return Math.round((this.#clock.elapsed() - since) * 1000) / 1000;
  }
}
