import type { z } from "zod";
import type { Permission } from "../../../lib/contract/access";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { CallArguments } from "../../engine/executor/call-arguments";
import type { ApiContext } from "../../main/api/context";

export type { ApiContext };

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RouteInput<Query, Body> {
  /** A parameter of the path, decoded. */
  param(name: string): string;
  query: Query;
  body: Body;
  /** The body's `arguments` as they were sent, `{}` for none. They are parsed with the body and written as its text has them. */
  readArguments(): CallArguments;
  /** The JSON text of a member of the body, as it was sent. */
  readText(member: keyof Body & string): string;
  request: Request;
  /** The id that the request's `Idempotency-Key` identifies; null without a key. */
  idempotency: IdempotentId | null;
  /**
   * Compares `If-Match` with the last edit of what the request changes. @returns the revision for the service
   * @throws AppError with the code PRECONDITION_FAILED
   */
  matchEdit(current: LastEdit | undefined): number | undefined;
  /** Checks again who makes the request, for streams. */
  watch: WatchReader;
}

/** @param onLost called once the reader may no longer read @returns a function that ends the watch */
export type WatchReader = (onLost: () => void) => () => void;

/** The id that a key identifies: the same for each request that repeats the key. */
export interface IdempotentId {
  id: string;
  /** An earlier request with the key reserved the id. */
  repeated: boolean;
}

export type ContentType = "text/event-stream" | "application/jsonl" | "application/zip" | "text/csv";

/** A route as the router and the document see it. */
export interface Route {
  method: Method;
  /** The path with parameters in braces: `/tools/{name}`. */
  path: string;
  summary: string;
  /** The permission that it needs at least; services may require more. */
  permission: Permission;
  /** A token that is limited to tools, servers or toolsets may use it: the route checks the limits. */
  forLimitedTokens?: true;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** The schema of the successful response; absent for 204. */
  response?: z.ZodType;
  /** Default: 200, or 204 without a response. */
  status?: 201;
  /** Set for an answer that is no JSON. */
  contentType?: ContentType | readonly ContentType[];
  /** Accepts an `Idempotency-Key`: the prefix of the ids that the key identifies. */
  idempotent?: "exec" | "run";
  /** The response has definitions of tools, whose numbers keep their digits. */
  hasDefinitions?: true;
  /** The response has an `ETag`, which a request that changes the thing may send as `If-Match`. */
  versioned?: true;
  /** The response may have `Retry-After`. */
  mayWait?: true;
  /** A route of an earlier version: what takes its place, `GET /suites`, and since when. */
  successor?: { rest: string; since: string };
  /** A `Response` is passed on as it is, other values as JSON. */
  answer(context: ApiContext, input: RouteInput<unknown, unknown>): unknown;
}
