import type { Role } from "../../lib/contract/access";
import { getServerName } from "../../lib/contract/tool-definition";
import { newId } from "../../lib/execution-id";
import type { ExecutionService } from "../calls/executions/execution-service";
import { systemClock } from "../create-tool-engine";
import { CallMask } from "../engine/masking/call-mask";
import { type CallCounts, createCallCounts } from "../engine/rules/call-counts";
import { createCountedCallReader } from "../features/rules/db/counted-calls";
import { createLimitStore } from "../features/rules/db/limit-store";
import { createRuleCaseStore } from "../features/rules/db/rule-case-store";
import { createRuleStore } from "../features/rules/db/rule-store";
import { createHookSecrets } from "../features/rules/hook-secrets";
import { createHookSender } from "../features/rules/hook-sender";
import { createLimitCounts } from "../features/rules/limit-counts";
import { createArgumentCheck } from "../features/rules/route-preview";
import { createRuleCaseService, type RuleCaseService } from "../features/rules/rule-case-service";
import { createRuleExplainer, type RuleExplainer } from "../features/rules/rule-explainer";
import { createRuleService, type RuleService, type RuleServicePorts } from "../features/rules/rule-service";
import type { ToolService } from "../features/tools/tool-service";
import type { ToolsetService } from "../features/toolsets/toolset-service";
import { createConditionLanguage } from "../platform/conditions/condition-language";
import { createOutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../platform/outgoing/outgoing-fetch";
import type { ChangeOrigin } from "../platform/shared/announced-edits";
import { AppError } from "../platform/shared/app-error";
import type { ServerParts } from "./catalog-services";
import type { Foundation } from "./foundation";

interface RuleParts extends Pick<ServerParts, "registry" | "redactor" | "validator" | "limits"> {
  readRole: (userId: string) => Role | null;
  /** Comes from the execution log, which is created later. */
  toStoredFilter: NonNullable<RuleServicePorts["toStoredFilter"]>;
}

/** Shares changes of rules and of their cases, which name rules. */
function createAnnouncer({ shared, live }: Foundation) {
  return (origin: ChangeOrigin): void => {
    if (origin === "followed") return;
    const onShared = (): void => live.publish({ type: "rules" });
    if (origin === "stored") void shared.changed("rules", { onShared });
    else onShared();
  };
}

export function createRules(foundation: Foundation, { registry, validator, limits, ...ports }: RuleParts) {
  const { db, logger, live, secretBox, addresses, version } = foundation;
  const store = createRuleStore(db);
  const secrets = createHookSecrets({ store, secretBox });
  const sender = createHookSender({
    now: systemClock.now,
    elapsed: systemClock.elapsed,
    userAgent: `Toolroom-Hooks/${version}`,
    fetch: createOutgoingFetch(createOutgoingAgents(addresses)),
    readSecret: secrets.read,
  });
  const rules = createRuleService({
    store,
    hooks: { secrets, sender },
    checkArguments: createArgumentCheck(validator, limits),
    limits: createLimitCounts({
      store: createLimitStore(db),
      isShared: db.kind === "postgres",
      logger,
      now: systemClock.now,
    }),
    language: createConditionLanguage(),
    ...ports,
    definitions: () => registry.list(),
    newId: () => newId("rule"),
    now: systemClock.now,
    onUsage: () => live.publish({ type: "rules" }),
    onChange: createAnnouncer(foundation),
  });
  return { ...rules, hookSender: sender };
}

/** The calls that conditions with `count` count. */
export const createCounts = ({ db }: Foundation): CallCounts =>
  createCallCounts(createCountedCallReader(db, createRuleStore(db)));

interface ExplainerParts extends Pick<RuleParts, "registry" | "readRole"> {
  rules: RuleService;
  counts: CallCounts;
  tools: ToolService;
  toolsets: ToolsetService;
}

/** Explains what would become of a call before it is made. */
export function createExplainer(
  { masking }: Foundation,
  { rules, counts, registry, readRole, tools, toolsets }: ExplainerParts,
): RuleExplainer {
  return createRuleExplainer({
    rules,
    counts,
    readRole,
    language: createConditionLanguage(),
    getTool(name) {
      const definition = tools.find(name)?.definition;
      if (definition !== undefined) return definition;
      throw new AppError("NOT_FOUND", `The tool '${name}' does not exist: correct 'call.tool'`);
    },
    findTool: (name) => tools.find(name)?.definition ?? null,
    findHeldReason: (name) =>
      registry.heldReason(name) ??
      (registry.get(name) === undefined ? `The tool '${name}' is switched off, or its server is not there` : null),
    findFaults: async (name, args) => (await tools.validateArguments(name, args)).faults,
    getToolsetApproval: (toolset, tool) =>
      toolsets.get(toolset).overrides.find((each) => each.tool === tool)?.approval ?? null,
    approvals: {
      required: tools.asksFirst,
      getMode: tools.approvalMode,
      listSettings: tools.listApprovalSettings,
    },
    maskArguments: (tool, text) => new CallMask(tools.find(tool)?.definition ?? null, masking).argumentsText(text),
    now: systemClock.now,
  });
}

interface RuleCaseParts extends Omit<RuleParts, "redactor" | "toStoredFilter" | "validator" | "limits"> {
  rules: RuleService;
  tools: ToolService;
  executions: ExecutionService;
}

/** The cases of the rules. */
export function createRuleCases(
  foundation: Foundation,
  { rules, registry, readRole, tools, executions }: RuleCaseParts,
): RuleCaseService {
  const { db, shared, masking } = foundation;
  const findTool = (name: string) => registry.get(name) ?? tools.find(name)?.definition ?? null;
  const ruleCases = createRuleCaseService({
    store: createRuleCaseStore(db),
    rules,
    language: createConditionLanguage(),
    findTool(name) {
      const definition = findTool(name);
      return definition === null ? null : { serverName: getServerName(definition), tags: definition.tags ?? [] };
    },
    maskArguments: (tool, text) => new CallMask(findTool(tool), masking).argumentsText(text),
    executions,
    findToken: createRuleStore(db).findToken,
    readRole,
    newId: () => newId("case"),
    now: systemClock.now,
    onChange: createAnnouncer(foundation),
  });
  shared.follow("rules", async () => {
    await rules.follow();
    await ruleCases.follow();
  });
  return ruleCases;
}
