import type { ResultEffect } from "../../../lib/contract/call-rule";
import type { RuleMatch } from "../../../lib/contract/rule-match";
import { parseExact } from "../../../lib/json/exact-text";
import { keepText } from "../../../lib/json/known-text";
import { INLINE_CHARS, parseJsonInSlices } from "../../../lib/parse-in-slices";
import type { CallGuard, GuardedOutcome } from "../executor/call-guard";
import { type CallFailure, type CallOutcome, failure } from "../executor/call-outcome";
import type { ResolvedCall } from "../executor/running-call";
import { isToolCallResult } from "../executor/tool-call-result";
import type { CallerRequest } from "../ports";
import type { ResultCandidates, ResultHit } from "./decide-result";
import type { Redaction, ResultRedactor, ResultSearch } from "./rule-ports";

export interface ResultGuardPorts {
  redactor: ResultRedactor;
  /** The values that a rule's condition read, in their stored form. */
  readValues: (hit: ResultHit) => RuleMatch["values"];
  /** Passes the outcome to the conditions. */
  onOutcome: (outcome: CallOutcome) => void;
  /** The outcome of a result. */
  toOutcome: (result: unknown) => CallOutcome;
}

type SearchedRequest = Exclude<CallerRequest, { kind: "roots" }>;

/** Stands where redaction took something. */
export const toMarker = (ruleName: string): string => `[redacted by rule ${ruleName}]`;

export const toSearch = (effect: ResultEffect): ResultSearch => ({
  paths: effect.kind === "redact" ? effect.paths : [],
  presets: effect.presets,
  patterns: effect.patterns,
});

const isSearching = ({ presets, patterns }: ResultSearch): boolean => presets.length > 0 || patterns.length > 0;

/** Applies the rules about results to one call: to its result, and to what it reports while it runs. */
export class ResultGuard implements CallGuard {
  readonly #call: ResolvedCall;
  readonly #candidates: ResultCandidates;
  readonly #ports: ResultGuardPorts;

  constructor(call: ResolvedCall, candidates: ResultCandidates, ports: ResultGuardPorts) {
    this.#call = call;
    this.#candidates = candidates;
    this.#ports = ports;
  }

  /** A message of the running tool as its caller receives it. What only the result can decide is withheld. */
  guardText(text: string): string {
    let sent = text;
    for (const { name, effect } of this.#candidates.effects) {
      const search = toSearch(effect);
      const cannotTell = effect.kind === "redact" ? effect.paths.length > 0 : !isSearching(search);
      const found = cannotTell ? null : this.#ports.redactor.redactText(search, sent, toMarker(name));
      if (found === null || "failed" in found || (effect.kind === "block" && found.count > 0)) {
        return `[withheld by rule ${name}]`;
      }
      sent = found.text;
    }
    return sent;
  }

  /** A request of the tool's server to the caller, without what the rules find by its text. Null where it cannot be searched. */
  async guardRequest(request: CallerRequest): Promise<CallerRequest | null> {
    if (request.kind === "roots") return request;
    let guarded = request;
    for (const { name, effect } of this.#candidates.effects) {
      const search = { ...toSearch(effect), paths: [] };
      if (!isSearching(search)) continue;
      const made = await this.#redactRequest(guarded, search, toMarker(name));
      if (made === null) return null;
      guarded = made;
    }
    return guarded;
  }

  async #redactRequest(
    request: SearchedRequest,
    search: ResultSearch,
    marker: string,
  ): Promise<SearchedRequest | null> {
    const { redactor } = this.#ports;
    if (request.kind === "foreign") {
      const text = JSON.stringify(request.params);
      const found = await redactor.redact(search, { text, marker, fromServer: false, keepTypes: false });
      if ("failed" in found) return null;
      return { ...request, params: (await parseResult(found.text)) as Readonly<Record<string, unknown>> };
    }
    const message = redactor.redactText(search, request.message, marker);
    if ("failed" in message) return null;
    if (request.kind !== "sampling") return { ...request, message: message.text };
    const input = { text: request.paramsText, marker, fromServer: false, keepTypes: false };
    const params = await redactor.redact(search, input);
    return "failed" in params ? null : { ...request, message: message.text, paramsText: params.text };
  }

  /** Applies the rules to the end of the call: all that record, and those that are on until one blocks. */
  async guard(outcome: CallOutcome): Promise<GuardedOutcome> {
    // The text of a call that was cancelled or timed out is not of its tool.
    if (!outcome.success && outcome.status !== "failed") return { stored: outcome, sent: outcome, matches: [] };
    this.#ports.onOutcome(outcome);
    const matches: RuleMatch[] = [];
    let sent = outcome;
    let blocked: CallFailure | null = null;
    for (const hit of this.#candidates.decide().hits) {
      if (blocked !== null && !hit.recordOnly) continue;
      const done = await this.#apply(hit, hit.recordOnly ? outcome : sent);
      if (done === null) continue;
      matches.push(this.#toMatch(hit, done.found));
      if (hit.recordOnly) continue;
      if (done.blocked !== undefined) blocked = done.blocked;
      else if (done.sent !== undefined) sent = done.sent;
    }
    if (blocked === null) return { stored: outcome, sent, matches };
    return { stored: this.#toStored(outcome, blocked), sent: blocked, matches };
  }

  /** Null where the rule finds nothing. */
  async #apply({ effect, rule }: ResultHit, outcome: CallOutcome): Promise<Applied | null> {
    const search = toSearch(effect);
    const needsSearch = effect.kind === "redact" || isSearching(search);
    const redaction = needsSearch ? await this.#search(search, outcome, toMarker(rule.name)) : null;
    if (redaction !== null && "failed" in redaction) {
      const message = `Withheld by rule ${rule.name}: the result could not be searched, since ${redaction.failed}`;
      return { found: { withheld: redaction.failed }, blocked: failure("rule", message) };
    }
    if (redaction?.count === 0) return null;
    if (effect.kind === "block") {
      const message = `Result blocked by rule ${rule.name}: ${effect.reason}`;
      return { found: redaction === null ? {} : { found: redaction.count }, blocked: failure("rule", message) };
    }
    const found = { replaced: redaction?.count ?? 0, ...describeSearch(search) };
    return { found, sent: redaction === null ? outcome : await this.#replace(outcome, search, redaction, rule.name) };
  }

  #search(search: ResultSearch, outcome: CallOutcome, marker: string): Redaction | Promise<Redaction> {
    const { redactor } = this.#ports;
    const { definition } = this.#call;
    const { result, resultText: text } = outcome;
    if (text === undefined) {
      return outcome.success ? { text: "", count: 0 } : redactor.redactText(search, outcome.error, marker);
    }
    const fromServer = definition.implementation.type === "mcp" && typeof result === "object" && result !== null;
    return redactor.redact(search, { text, marker, fromServer, keepTypes: definition.outputSchema !== undefined });
  }

  async #replace(
    outcome: CallOutcome,
    search: ResultSearch,
    redaction: { text: string },
    ruleName: string,
  ): Promise<CallOutcome> {
    if (outcome.resultText === undefined) return this.#replaceError(outcome as CallFailure, search, ruleName);
    const result = await parseResult(redaction.text);
    const made = this.#ports.toOutcome(result);
    // A failure keeps its status and kind; its text is that of the result.
    if (outcome.success || made.success) return made;
    return { ...outcome, error: made.error, result, resultText: redaction.text };
  }

  #replaceError(outcome: CallFailure, search: ResultSearch, ruleName: string): CallFailure {
    const replace = (text: string): string => {
      const found = this.#ports.redactor.redactText(search, text, toMarker(ruleName));
      return "failed" in found ? `[withheld by rule ${ruleName}]` : found.text;
    };
    const sent = { ...outcome, error: replace(outcome.error) };
    if (outcome.protocol_error !== undefined) {
      const { code, message } = outcome.protocol_error;
      sent.protocol_error = { code, message: replace(message) };
    }
    return sent;
  }

  /** The call ran, so its result is kept. The message of a failure goes to the log. */
  #toStored(outcome: CallOutcome, blocked: CallFailure): CallFailure {
    if (!outcome.success) this.#call.noteBlocked(outcome.error);
    const { result, resultText } = outcome;
    return { ...blocked, result, resultText };
  }

  #toMatch(hit: ResultHit, found: RuleMatch["values"]): RuleMatch {
    const { id: ruleId, name, version, effect } = hit.rule;
    const values = { ...this.#ports.readValues(hit), ...found };
    return { ruleId, name, version, effect: effect.kind, recordOnly: hit.recordOnly, values };
  }
}

interface Applied {
  found: RuleMatch["values"];
  blocked?: CallFailure;
  sent?: CallOutcome;
}

/** The search of the rule, which may be another one by the time that the call is read. */
function describeSearch({ paths, presets, patterns }: ResultSearch): RuleMatch["values"] {
  const lists = Object.entries({ paths, presets, patterns }).filter(([, list]) => list.length > 0);
  return Object.fromEntries(lists.map(([name, list]) => [name, [...list]]));
}

/** A large text is parsed in slices, and kept with its digits. */
async function parseResult(text: string): Promise<unknown> {
  if (text.length <= INLINE_CHARS) {
    const result = parseExact(text);
    if (isToolCallResult(result)) keepText(result, text);
    return result;
  }
  const result = await parseJsonInSlices(text);
  if (typeof result === "object" && result !== null) keepText(result, text);
  return result;
}
