import type { LastEdit } from "../../../../lib/contract/last-edit";
import { REVISION } from "../../../../lib/contract/revision";
import { AppError, findAppError } from "../../../platform/shared/app-error";

export const IF_MATCH = "If-Match";
const TAG_LIST = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/;

/** The time is part of the tag, since a deleted and recreated object counts from one again. */
const toEditTag = ({ revision, at }: LastEdit): string => `"${revision}-${at.toString(36)}"`;

/** The `ETag` of an answer; nothing for what has no edits, such as a tool of the configuration. */
export function editTagHeader(answered: unknown): Record<string, string> {
  const { lastEdit } = (answered ?? {}) as { lastEdit?: LastEdit };
  return lastEdit === undefined ? {} : { etag: toEditTag(lastEdit) };
}

/**
 * Compares a request's `If-Match` with the last edit.
 * @returns the revision that the service has to compare in its write; undefined for a request that overwrites any
 */
export function matchEdit({ headers }: Request, current: LastEdit | undefined): number | undefined {
  const given = headers.get(IF_MATCH)?.trim();
  if (given === undefined || given === "*") return undefined;
  if (!TAG_LIST.test(given)) {
    const message = `must be the ETag of a GET, such as "3-m1abc", or *`;
    throw new AppError("INVALID", `${IF_MATCH} ${message}`, [{ path: IF_MATCH, message }]);
  }
  if (current === undefined) throw outdated("It comes from the configuration or from code, and has no ETag");
  if (given.split(/\s*,\s*/).includes(toEditTag(current))) return current.revision;
  const { by, at, revision } = current;
  throw outdated(`${by ?? "Another edit"} changed it at ${new Date(at).toISOString()} (revision ${revision})`);
}

/** The error for an edit between the comparison and the write. */
export function asOutdated(error: unknown, { headers }: Request): unknown {
  const refusal = findAppError(error);
  const isEdit = refusal?.code === "CONFLICT" && refusal.problems.some(({ path }) => path === REVISION);
  return isEdit && headers.has(IF_MATCH) ? outdated(refusal.message) : error;
}

function outdated(reason: string): AppError {
  const message = `${reason}: get it again, and send its ETag as ${IF_MATCH}`;
  return new AppError("PRECONDITION_FAILED", message, [{ path: IF_MATCH, message }]);
}
