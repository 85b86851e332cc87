import { isTimeZone } from "@/lib/format/time-zone";

export const TIME_ZONE_COOKIE = "toolroom_time_zone";

/** The zone that a browser named; UTC before its first page and for anything else. */
export function parseTimeZone(text: string | undefined): string {
  return text !== undefined && text.length <= 64 && isTimeZone(text) ? text : "UTC";
}
