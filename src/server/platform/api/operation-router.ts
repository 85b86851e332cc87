import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";
import type { z } from "zod";
import type { AnyOperation, Operation, Operations, RestOnly } from "./operation";
import { performOperation } from "./perform-operation";
import type { ApiContext } from "./route";
import { streamProgress } from "./stream-progress";
import { procedure, router } from "./trpc";

// biome-ignore lint/suspicious/noConfusingVoidType: tRPC lets callers leave out an argument of this type alone.
type Argument<Input> = Input extends undefined ? void : Input;

/** Of one that reports its progress, a stream. */
type Answer<Each, Output> = Each extends { reports: z.ZodType<infer Progress> }
  ? AsyncGenerator<{ progress: Progress } | { result: Output }, void>
  : Output;

type ProcedureFor<Each> =
  Each extends Operation<"read", infer Input, infer Output>
    ? TRPCQueryProcedure<{ meta: unknown; input: Argument<Input>; output: Answer<Each, Output> }>
    : Each extends Operation<"act", infer Input, infer Output>
      ? TRPCMutationProcedure<{ meta: unknown; input: Argument<Input>; output: Answer<Each, Output> }>
      : never;

type Procedures<Each> = {
  [Name in keyof Each as Each[Name] extends RestOnly ? never : Name]: ProcedureFor<Each[Name]>;
};

interface Call {
  ctx: ApiContext;
  input: unknown;
  signal?: AbortSignal | undefined;
}

/** The tRPC procedures of a noun's operations, with the types of each. */
export function toRouter<Each extends Record<string, AnyOperation>>({ noun, each }: Operations<Each>) {
  const answered = Object.entries(each).filter(([, { onlyRest }]) => onlyRest === undefined);
  const procedures = answered.map(([name, operation]) => {
    const { input: schema, kind } = operation;
    const own = schema === undefined ? procedure : procedure.input(withFirstPage(schema));
    const answer = async ({ ctx, input, signal }: Call) => {
      const perform = async (context: Parameters<typeof performOperation>[2]) => {
        const result = await performOperation(`${noun}.${name}`, operation, context, toInput(input));
        return operation.output === undefined ? undefined : result;
      };
      if (operation.reports === undefined) return await perform({ ...ctx, signal });
      return await streamProgress(signal, (report) => perform({ ...ctx, signal, report }));
    };
    return [name, kind === "read" ? own.query(answer) : own.mutation(answer)];
  });
  return router(Object.fromEntries(procedures) as Procedures<Each>);
}

/** The client sends null as the cursor of the first page. */
function withFirstPage(schema: z.ZodObject): z.ZodObject {
  const { cursor } = schema.shape as Record<string, z.ZodType | undefined>;
  return cursor === undefined ? schema : schema.extend({ cursor: cursor.nullable() });
}

function toInput(input: unknown): object {
  const { cursor, ...others } = (input ?? {}) as { cursor?: unknown };
  return cursor === null || cursor === undefined ? others : (input as object);
}
