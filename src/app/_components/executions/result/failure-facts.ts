import type { FiredLimit } from "@/lib/contract/envelope";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { isPlainObject } from "@/lib/contract/json";
import { formatBytes, formatCount, formatDuration } from "@/lib/format";

export interface LimitFacts {
  /** The name of the limit, and its value. */
  what: string;
  setBy: string;
  /** How to have another one. */
  change: string;
}

const LIMIT_NAMES: Record<FiredLimit["name"], string> = {
  timeout: "Time limit",
  max_stored_bytes: "Max stored result",
  max_model_chars: "Model view limit",
  argument_size: "Arguments size limit",
  validation_time: "Validation timeout",
};

/** The definition's own key for a limit, where it has one. */
const DEFINITION_KEYS: Partial<Record<FiredLimit["name"], string>> = {
  timeout: "timeout_ms",
  max_stored_bytes: "max_stored_bytes",
  max_model_chars: "max_model_chars",
};

export function describeLimit(limit: FiredLimit): LimitFacts {
  const key = DEFINITION_KEYS[limit.name];
  const inDefinition = key === undefined ? null : `“${key}” in the tool's definition`;
  const what = `${LIMIT_NAMES[limit.name]}: ${limitValue(limit)}`;
  if (limit.setBy === "call") {
    return { what, setBy: "Set by the caller.", change: "Set a higher limit, or none, on the next call." };
  }
  if (limit.setBy === "tool") {
    return {
      what,
      setBy: `Set by ${inDefinition ?? "the tool's definition"}.`,
      change: "Change it in the definition.",
    };
  }
  return {
    what,
    setBy: "The server's limit for every tool.",
    change: inDefinition
      ? `Set ${inDefinition}, or the server's limit in the configuration.`
      : "Send less, or change the server's limit in the configuration.",
  };
}

function limitValue(limit: FiredLimit): string {
  if (limit.unit === "ms") return formatDuration(limit.value);
  return limit.unit === "bytes" ? formatBytes(limit.value) : `${formatCount(limit.value)} ${limit.unit}`;
}

export interface RequiredParameter {
  name: string;
  type: string;
  description: string | null;
}

/** Lists the parameters that the schema of that time required, so that the call can be corrected here. */
export function requiredParameters(definition: ExecutionDetail["definition"]): RequiredParameter[] {
  const required = ownValue(definition?.parameters, "required");
  const properties = ownValue(definition?.parameters, "properties");
  if (!Array.isArray(required)) return [];
  return required
    .filter((name) => typeof name === "string")
    .map((name) => {
      const property = ownValue(properties, name);
      const type = ownValue(property, "type");
      const description = ownValue(property, "description");
      return {
        name,
        type: typeof type === "string" ? type : Array.isArray(type) ? type.join(" | ") : "any",
        description: typeof description === "string" ? description : null,
      };
    });
}

/** Schemas are others' data: a parameter may be called `constructor`. */
function ownValue(holder: unknown, key: string): unknown {
  return isPlainObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}
