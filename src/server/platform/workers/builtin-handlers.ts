import { randomUUID } from "node:crypto";
import type { JsonSchema } from "../../../lib/contract/json";
import type { Handler, Handlers } from "../../engine/ports";
import type { MathEvaluator } from "../math-evaluator";

/** The handlers every Toolroom has. */
export function createBuiltinHandlers(ports: { math: Pick<MathEvaluator, "evaluate"> }): Handlers {
  return {
    echo: withParameters((args) => ({ echo: args }), {}),
    math_eval: withParameters(
      (args, context) => {
        if (typeof args.expression !== "string") throw new Error('expression must be a string such as "2+2"');
        return ports.math.evaluate(args.expression, context.signal);
      },
      { expression: { type: "string", description: "Such as 2+2, sqrt(16), 12 * 7 or 5 cm to inch" } },
      ["expression"],
    ),
    current_time: withParameters((args) => currentTime(args.timezone, new Date()), {
      timezone: { type: "string", description: "IANA name such as Europe/Oslo; default: the server's" },
    }),
    uuid: withParameters((args) => newUuids(args.count), {
      count: { type: "integer", minimum: 1, maximum: 1000, description: "How many; default: one" },
    }),
  };
}

function withParameters(handler: Handler, properties: Record<string, JsonSchema>, required: string[] = []): Handler {
  const parameters = { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
  return Object.assign(handler, { parameters });
}

/** @throws Error for a time zone that does not exist */
function currentTime(timezone: unknown, now: Date): object {
  const zone = timezone === undefined ? Intl.DateTimeFormat().resolvedOptions().timeZone : timezone;
  if (typeof zone !== "string") throw new Error('timezone must be an IANA name such as "Europe/Oslo"');
  let parts: Record<string, string>;
  try {
    const format = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      weekday: "long",
      timeZoneName: "longOffset",
    });
    parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  } catch {
    throw new Error(`Unknown time zone ${JSON.stringify(zone)}; use an IANA name such as "Europe/Oslo" or "UTC"`);
  }
  const offset = (parts.timeZoneName ?? "GMT").replace("GMT", "") || "+00:00";
  return {
    iso: `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}${offset}`,
    timezone: zone,
    weekday: parts.weekday,
    utc: now.toISOString(),
    epoch_ms: now.getTime(),
  };
}

function newUuids(count: unknown): object {
  if (count === undefined) return { uuid: randomUUID() };
  if (!Number.isInteger(count) || (count as number) < 1 || (count as number) > 1000) {
    throw new Error("count must be an integer from 1 to 1000");
  }
  return { uuids: Array.from({ length: count as number }, () => randomUUID()) };
}
