import type { Assertion } from "@/lib/contract/suite";
import { formatBytes, formatDuration, formatPlural } from "@/lib/format";

const MAX_CHARS = 120;

function showValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`;
}

/** Describes an assertion with its value: `/rate equals 11.62`. */
export function describeAssertion(assertion: Assertion): string {
  switch (assertion.kind) {
    case "equals": {
      const { value, ignore = [] } = assertion;
      const but = ignore.length === 0 ? "" : `, apart from ${formatPlural(ignore.length, "path")}`;
      return `equals ${showValue(value)}${but}`;
    }
    case "subset":
      return `contains ${showValue(assertion.value)}`;
    case "path": {
      const path = assertion.path === "" ? "the result" : assertion.path;
      if (assertion.is === "exists" || assertion.is === "absent") {
        return `${path} ${assertion.is === "absent" ? "is absent" : "exists"}`;
      }
      return `${path} ${assertion.is} ${showValue(assertion.value)}`;
    }
    case "schema":
      return `matches the schema ${showValue(assertion.schema)}`;
    case "error": {
      const message = assertion.message === undefined ? "" : ` with "${assertion.message}"`;
      return `fails: ${assertion.error}${message}`;
    }
    case "time":
      return `takes at most ${formatDuration(assertion.maxMs)}`;
    case "size":
      return `is at most ${formatBytes(assertion.maxBytes)}`;
  }
}
