import type { RulePreview } from "../../../lib/contract/call-rule";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { hasMask } from "../../../lib/masked-value";
import { CallArguments } from "../../engine/executor/call-arguments";
import type { ArgumentValidator, ExecutionLimits } from "../../engine/ports";
import type { RuleDecision } from "../../engine/rules/decide-call";
import { decidingSchema, validateArguments } from "../../engine/validation/validate-arguments";
import type { RecordedCall } from "./rule-store";

/** Whether a tool takes recorded arguments. */
export type CheckArguments = (definition: ToolDefinition, text: string) => Promise<boolean>;

export const createArgumentCheck =
  (validator: ArgumentValidator, limits: ExecutionLimits): CheckArguments =>
  async (definition, text) =>
    (await validateArguments(validator, decidingSchema(definition), CallArguments.parse(text).value, limits)) === null;

interface RoutePreviewPorts {
  findDefinition: (name: string) => ToolDefinition | null;
  checkArguments: CheckArguments | undefined;
}

/** Counts the recorded calls that a rule would have routed, and those whose arguments the other tool does not take. */
export class RoutePreview {
  readonly #ports: RoutePreviewPorts;
  readonly #ruleId: string;
  readonly #counts = { calls: 0, invalid: 0, unknown: 0 };

  constructor(ruleId: string, ports: RoutePreviewPorts) {
    this.#ruleId = ruleId;
    this.#ports = ports;
  }

  get counts(): NonNullable<RulePreview["routed"]> {
    return { ...this.#counts };
  }

  async add({ argumentsText }: RecordedCall, { routed }: RuleDecision, isHidden: boolean): Promise<void> {
    const effect = routed?.route.rule.id === this.#ruleId ? routed.route.rule.effect : null;
    if (effect?.kind !== "route") return;
    this.#counts.calls += 1;
    const isValid = isHidden || argumentsText === null ? null : await this.#check(effect.tool, argumentsText);
    if (isValid === null) this.#counts.unknown += 1;
    else if (!isValid) this.#counts.invalid += 1;
  }

  /** Null where the outcome is not known. */
  async #check(tool: string, text: string): Promise<boolean | null> {
    const definition = this.#ports.findDefinition(tool);
    if (definition === null || hasMask(text)) return null;
    return (await this.#ports.checkArguments?.(definition, text)) ?? null;
  }
}
