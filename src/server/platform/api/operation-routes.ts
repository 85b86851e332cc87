import { z } from "zod";
import { problemsOfIssues } from "../../../lib/contract/problem";
import { invalidInput } from "../shared/app-error";
import type { AnyOperation, FormerRoute, OperationContext, Operations } from "./operation";
import { performOperation } from "./perform-operation";
import { placeInput } from "./place-input";
import type { ApiContext, Route, RouteInput } from "./route";
import { describePage, takePage } from "./route-inputs";
import { INTEGER, readKind } from "./schema-kind";

/** The REST routes of a noun's operations. */
export function toRoutes({ noun, each }: Operations): Route[] {
  return Object.entries(each).flatMap(([name, operation]) =>
    operation.rest === null ? [] : [toRoute(`${noun}.${name}`, operation, operation.rest)],
  );
}

/** The routes that a noun's operations had in the version before. */
export function toFormerRoutes({ noun, each }: Operations): Route[] {
  return Object.entries(each).flatMap(([name, operation]) =>
    (operation.formerly ?? []).map((former) => toFormerRoute(`${noun}.${name}`, operation, former)),
  );
}

function toFormerRoute(action: string, operation: AnyOperation, former: FormerRoute): Route {
  const { rest, since, with: fixed = {}, status, toAnswer } = former;
  const kept = Object.keys(fixed);
  const input = operation.input?.omit(Object.fromEntries(kept.map((name) => [name, true])) as Record<never, true>);
  const before: AnyOperation = {
    ...operation,
    input,
    ...(status !== undefined && { status }),
    run: (context, given) => operation.run(context, Object.assign({}, given, fixed) as never),
    ...(toAnswer !== undefined && {
      answeredAs: { output: z.unknown(), toAnswer: (result: never) => toItems(toAnswer(result)) },
    }),
  };
  return { ...toRoute(action, before, rest), successor: { rest: operation.rest ?? "", since } };
}

/** A list is `{ items }` in REST. */
const toItems = (result: unknown): unknown => (Array.isArray(result) ? { items: result } : result);

function toRoute(action: string, operation: AnyOperation, rest: string): Route {
  const { summary, allow, status, versioned, download, answeredAs, pagedBy, body: whole } = operation;
  const {
    forLimitedTokens,
    idempotent,
    findRepeated,
    hasDefinitions,
    contentType = download?.type,
    texts = {},
    sentAs,
  } = operation;
  const { method, path, params, query, body } = placeInput(operation, rest);
  const readParams = createParamReader(params);
  const response = status === 204 ? undefined : toResponse(operation);
  return {
    method,
    path,
    summary,
    permission: allow,
    // A strict schema is made once: building one takes longer than parsing with it.
    ...(query && { query: query.strict() }),
    ...(body && { body }),
    ...(response && { response }),
    ...(status === 201 && { status }),
    ...(versioned && { versioned: true }),
    ...(contentType && { contentType }),
    ...(forLimitedTokens !== undefined && { forLimitedTokens: true }),
    ...(idempotent && { idempotent }),
    ...(hasDefinitions && { hasDefinitions }),
    ...(answeredAs?.mayWait && { mayWait: true }),
    async answer(context: ApiContext, given: RouteInput<unknown, unknown>) {
      const { query: asked, body: sent, matchEdit } = given;
      const fields = whole === undefined ? (sent as object) : { [whole]: sent };
      const named = readParams(given.param);
      const typed = Object.fromEntries(
        // An optional field stays absent.
        Object.keys(texts).flatMap((name) =>
          Object.hasOwn(sent as object, name) ? [[name, given.readText(name as never)]] : [],
        ),
      );
      const input = { ...named, ...(pagedBy === undefined ? (asked as object) : {}), ...fields, ...typed };
      const readRevision = async () => {
        const edit = typeof versioned === "function" ? await versioned(context.services, input as never) : undefined;
        return { revision: matchEdit(edit) };
      };
      const readInput = async (own: OperationContext) => ({
        ...(sentAs === undefined ? input : { ...named, ...(await sentAs.toInput(own, input as never)) }),
        ...(typeof versioned === "function" && (await readRevision())),
      });
      const asking = { ...context, signal: given.request.signal };
      const perform = () => performOperation(action, operation, asking, input, { sent: given, readInput });
      const id = given.idempotency?.repeated === true ? given.idempotency.id : null;
      const result =
        id === null || findRepeated === undefined
          ? await perform()
          : await performOnce(() => findRepeated(context.services, id), perform);
      if (result instanceof Response) return result;
      if (answeredAs !== undefined) return answeredAs.toAnswer(result as never, input as never, context.services);
      if (download !== undefined) return download.respond(result as never, input as never);
      if (pagedBy !== undefined) return takePage(result as never[], pagedBy, asked as never);
      if (response === undefined) return undefined;
      return toItems(result);
    },
  };
}

/** Leaves out what the first request with the same key has done. */
async function performOnce(findDone: () => unknown, perform: () => Promise<unknown>): Promise<unknown> {
  const done = await findDone();
  if (done !== undefined) return done;
  try {
    return await perform();
  } catch (error) {
    // The first request may have come to another instance of the server at the same time.
    const doneMeanwhile = await findDone();
    if (doneMeanwhile !== undefined) return doneMeanwhile;
    throw error;
  }
}

function toResponse({ output, answeredAs, pagedBy }: AnyOperation): z.ZodType | undefined {
  if (answeredAs !== undefined) return answeredAs.output;
  if (!(output instanceof z.ZodArray)) return output;
  const item = output.element as z.ZodType;
  return pagedBy === undefined ? z.object({ items: z.array(item) }) : describePage(item);
}

/** Reads the parameters of a path, whose fields are looked at once. @throws AppError that names the parameter */
function createParamReader(params: z.ZodObject): (param: (name: string) => string) => object {
  const fields = Object.entries(params.shape as Record<string, z.ZodType>);
  const numbers = new Set(fields.flatMap(([name, field]) => (readKind(field) === "number" ? [name] : [])));
  return (param) => {
    const given: Record<string, unknown> = {};
    for (const [name] of fields) {
      const text = param(name);
      given[name] = numbers.has(name) && INTEGER.test(text) ? Number(text) : text;
    }
    const read = params.safeParse(given);
    if (read.success) return read.data;
    throw invalidInput("", problemsOfIssues(read.error.issues), ": ");
  };
}
