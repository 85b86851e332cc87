import { z } from "zod";
import type { AnyOperation } from "./operation";
import type { Method } from "./route";
import { namedPageQuery } from "./route-inputs";

/** The fields of an operation's input by where a REST request has them. */
interface InputPlaces {
  method: Method;
  path: string;
  params: z.ZodObject;
  query: z.ZodObject | undefined;
  body: z.ZodObject | undefined;
}

/** Where a request has each field: the path, the body or a field that is the whole body, else the query. */
export function placeInput(operation: AnyOperation, rest: string): InputPlaces {
  const { input = z.object({}), texts, sentAs, body: whole, versioned, pagedBy } = operation;
  const [method, path = ""] = rest.split(" ") as [Method, string];
  const all = texts === undefined ? input : input.extend(texts);
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""));
  // The revision comes from `If-Match`.
  const isHidden = (name: string): boolean => typeof versioned === "function" && name === "revision";
  const names = Object.keys(all.shape);
  const params = pick(all, (name) => inPath.has(name));
  const none = { method, path, params, query: undefined, body: undefined };
  if (sentAs !== undefined) return { ...none, query: sentAs.query, body: sentAs.body };
  if (pagedBy !== undefined) return { ...none, query: namedPageQuery };
  const isOther = (name: string): boolean => !inPath.has(name) && !isHidden(name) && name !== whole;
  const others = names.some(isOther) ? pick(all, isOther) : undefined;
  if (whole !== undefined) return { ...none, query: others, body: (all.shape as Record<string, z.ZodObject>)[whole] };
  if (others === undefined) return none;
  return method === "GET" || method === "DELETE" ? { ...none, query: others } : { ...none, body: others };
}

/** The schema with some of its fields; others are refused where they were before. */
function pick(all: z.ZodObject, keeps: (name: string) => boolean): z.ZodObject {
  const left = Object.keys(all.shape).filter((name) => !keeps(name));
  return left.length === 0
    ? all
    : all.omit(Object.fromEntries(left.map((name) => [name, true])) as Record<never, true>);
}
