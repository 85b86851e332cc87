import { z } from "zod";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { invalidInput } from "../shared/app-error";
import type { AnyOperation, OperationContext, Operations } from "./operation";
import { performOperation } from "./perform-operation";
import { placeInput } from "./place-input";
import type { ApiContext, Route, RouteInput } from "./route";
import { describePage, takePage } from "./route-inputs";

/** The REST routes of a noun's operations. */
export function toRoutes({ noun, each }: Operations): Route[] {
  return Object.entries(each).flatMap(([name, operation]) =>
    operation.rest === null ? [] : [toRoute(`${noun}.${name}`, operation, operation.rest)],
  );
}

function toRoute(action: string, operation: AnyOperation, rest: string): Route {
  const { summary, allow, status, versioned, download, pagedBy, body: whole } = operation;
  const { forLimitedTokens, idempotent, hasDefinitions, contentType = download?.type, texts = {}, sentAs } = operation;
  const { method, path, params, query, body } = placeInput(operation, rest);
  const response = toResponse(operation);
  return {
    method,
    path,
    summary,
    permission: allow,
    ...(query && { query }),
    ...(body && { body }),
    ...(response && { response }),
    ...(status && { status }),
    ...(versioned && { versioned: true }),
    ...(contentType && { contentType }),
    ...(forLimitedTokens !== undefined && { forLimitedTokens: true }),
    ...(idempotent && { idempotent }),
    ...(hasDefinitions && { hasDefinitions }),
    async answer(context: ApiContext, given: RouteInput<unknown, unknown>) {
      const { query: asked, body: sent, matchEdit } = given;
      const fields = whole === undefined ? (sent as object) : { [whole]: sent };
      const named = readParams(params, given.param);
      const typed = Object.fromEntries(Object.keys(texts).map((name) => [name, given.readText(name as never)]));
      const input = { ...named, ...(pagedBy === undefined ? (asked as object) : {}), ...fields, ...typed };
      const readRevision = async () => {
        const edit = typeof versioned === "function" ? await versioned(context.services, input as never) : undefined;
        return { revision: matchEdit(edit) };
      };
      const readInput = async (own: OperationContext) => ({
        ...(sentAs === undefined ? input : { ...named, ...(await sentAs.toInput(own, input as never)) }),
        ...(typeof versioned === "function" && (await readRevision())),
      });
      const result = await performOperation(action, operation, context, input, { sent: given, readInput });
      if (result instanceof Response) return result;
      if (download !== undefined) return download.respond(result as never, input as never);
      if (pagedBy !== undefined) return takePage(result as never[], pagedBy, asked as never);
      if (operation.output === undefined) return undefined;
      return Array.isArray(result) ? { items: result } : result;
    },
  };
}

function toResponse({ output, pagedBy }: AnyOperation): z.ZodType | undefined {
  if (!(output instanceof z.ZodArray)) return output;
  const item = output.element as z.ZodType;
  return pagedBy === undefined ? z.object({ items: z.array(item) }) : describePage(item);
}

/** @throws AppError that names the parameter */
function readParams(params: z.ZodObject, param: (name: string) => string): object {
  const names = Object.keys(params.shape);
  const read = params.safeParse(Object.fromEntries(names.map((name) => [name, param(name)])));
  if (read.success) return read.data;
  throw invalidInput("", problemsOfIssues(read.error.issues), ": ");
}
