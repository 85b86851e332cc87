import type { z } from "zod";
import type { Permission, Principal, TokenLimits } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { Audit } from "../shared/audited-call";
import type { CommandDeclaration, CommandGroup, JoinedCommands } from "./operation-command";
import type { ApiContext, ContentType, Method, RouteInput } from "./route";

/** The context of an operation, beside its input. */
export interface OperationContext extends Omit<ApiContext, "actor"> {
  /** The caller without rights: services may store it with what they record. */
  actor: Actor;
  /** The caller with its rights, for services that decide by them. */
  principal: Principal;
  /** The REST request with what is no field of the input: texts as they were sent, `Idempotency-Key`, the watch of a stream. Null in tRPC. */
  sent: RouteInput<unknown, unknown> | null;
  /** Set for an operation that reports its progress: throws once the caller has left. Absent in REST. */
  report?: (progress: unknown) => void;
  /** Aborts when the caller no longer waits. */
  signal?: AbortSignal | undefined;
}

/** The REST request of an operation that has no procedure. */
export function requireSent({ sent }: OperationContext): RouteInput<unknown, unknown> {
  if (sent === null) throw new Error("This operation answers to REST alone");
  return sent;
}

type Services = ApiContext["services"];
type Awaitable<T> = T | Promise<T>;

type NoInput = Record<never, never>;
type Parsed<Input extends z.ZodObject | undefined> = Input extends z.ZodObject ? z.output<Input> : NoInput;
type Sent<Input extends z.ZodObject | undefined> = Input extends z.ZodObject ? z.input<Input> : undefined;
type Returned<Output extends z.ZodType | undefined> = Output extends z.ZodType ? z.output<Output> : undefined;
/** Fields that are not declared are not sent, whatever a service returns. */
type Result<Output extends z.ZodType | undefined> = Output extends z.ZodType ? z.output<Output> : unknown;
/** A `Response` is an answer to REST, passed on as it is. */
type Answered<Output extends z.ZodType | undefined> = Result<Output> | Response;

/** The form in which agents get an operation as a tool. Whether it only reads follows from `read` and `act`. */
export interface AgentForm<Result> {
  /** `search_executions`: its name at the endpoint, and that of the handler for definitions of the catalog. */
  name: string;
  /** Models choose by it; default: the summary. */
  description?: string;
  /** The arguments, where a model gives others than the console: `toInput` makes the input of them. */
  input?: z.ZodObject;
  toInput?: (fields: never) => object;
  /** The part of the result that a model needs; default: all of it. */
  toResult?: (result: Result, fields: never) => unknown;
  /** True for an act that only adds something: clients need not warn of it. */
  adds?: true;
  /** True for an act that changes nothing: as a read, its input would be in the address. */
  onlyReads?: true;
}

/** A route of an earlier version, which answers for one more with a notice of its successor. */
export interface FormerRoute<Result = never> {
  /** The method and path with the parameters of `rest`. */
  rest: `${Method} /${string}`;
  /** The day of the version that deprecated it: 2026-11-30. */
  since: string;
  /** Fields of the input that this route never had, with their fixed values. */
  with?: object;
  /** Absent where the status is the same. */
  status?: 201;
  /** Its answer, where that had another form. */
  toAnswer?: (result: Result) => unknown;
}

interface Declaration<Input extends z.ZodObject | undefined, Output extends z.ZodType | undefined> {
  /** Parameters in braces are fields of the input: `PUT /views/{id}`. `null` with `unrouted`. */
  rest: `${Method} /${string}` | null;
  /** Routes that it had in the version before. */
  formerly?: readonly FormerRoute<Result<Output>>[];
  /** The reason why there is no route. */
  unrouted?: string;
  /** One line for the document of the REST API, and for the command where that has none of its own. */
  summary: string;
  /** The permission that it needs; services may require more. */
  allow: Permission;
  /** A further permission beside `allow`, where it depends on the input. */
  demand?: (input: Parsed<Input>, services: Services) => Permission;
  /** A token that is limited to tools, servers or toolsets may use it: for what the function admits, or for all with `run` checking the limits. */
  forLimitedTokens?: true | ((token: TokenLimits, input: Parsed<Input>) => boolean);
  /** The message that refuses every API token, since the result would outlive the token or exceed its rights. */
  refusesTokens?: string;
  input?: Input;
  /**
   * Fields that hold JSON which a service reads as the text that was sent, with its digits: strings in tRPC. A REST request has the JSON
   * itself, described by the schema here.
   */
  texts?: Readonly<Record<string, z.ZodType>>;
  /** Set where a REST request has other fields than the console sends, such as the parts of a filter: they become the input, after the check of rights. */
  sentAs?: {
    query?: z.ZodObject;
    body?: z.ZodObject;
    toInput: (context: OperationContext, fields: never) => Awaitable<object>;
  };
  /** The field of the input that is the whole body of the REST request, beside which others are its query; absent: the body has every field that is not in the path. */
  body?: string;
  /** Absent: nothing is returned, and REST answers with 204. A list is `{ items }` in REST. */
  output?: Output;
  /** Set for a whole list: REST gives pages in the order of these names. */
  pagedBy?: (item: never) => string;
  /** Default: 200, or 204 without an output. Given as 204, only the console gets the output. */
  status?: 201 | 204;
  /** Accepts an `Idempotency-Key`: the prefix of the ids that the key identifies. */
  idempotent?: "exec" | "run";
  /**
   * Returns the result for a request that repeats its key, once the first one has stored what the id names: the
   * operation is neither performed nor recorded again.
   */
  findRepeated?: (services: Services, id: string) => Awaitable<Result<Output> | undefined>;
  /** The answer has definitions of tools, whose numbers keep their digits. */
  hasDefinitions?: true;
  /** Set for a REST answer that is no JSON: `run` returns the `Response`. */
  contentType?: ContentType | readonly ContentType[];
  /**
   * The answer has an `ETag`. A function, for an operation that makes a change, reads the last edit: `If-Match` is
   * compared with it and becomes `revision` of the input.
   */
  versioned?: true | ((services: Services, input: Parsed<Input>) => Awaitable<LastEdit | undefined>);
  /** A REST answer that is a file, and its content type where that is no JSON. */
  download?: {
    type?: "application/jsonl" | "application/zip";
    respond: (result: Result<Output>, input: Parsed<Input>) => Response;
  };
  /** Set where a REST answer has another form than the console gets: its schema, and the function that makes it. */
  answeredAs?: {
    output: z.ZodType;
    toAnswer: (result: Result<Output>, input: Parsed<Input>, services: Services) => unknown;
    /** The answer may have `Retry-After`. */
    mayWait?: true;
  };
  /** The action of its audit entries, where it is not the name of the procedure: filters name it. */
  recordedAs?: string;
  run: (context: OperationContext, input: Parsed<Input>) => Awaitable<Answered<Output>>;
  cli?: CommandDeclaration<Result<Output>>;
  /** Agents get it as a tool: with the rights of the caller, as through every other door. */
  agent?: AgentForm<Result<Output>>;
}

type ActDeclaration<Input extends z.ZodObject | undefined, Output extends z.ZodType | undefined> = Declaration<
  Input,
  Output
> & {
  audit: Audit<Parsed<Input>, Result<Output>, Services>;
  /** The answer, once what was done is recorded: its state after a wait. */
  reply?: (context: OperationContext, result: Result<Output>, input: Parsed<Input>) => Awaitable<Answered<Output>>;
};

/** A declaration as the doors see it, with any input. */
export interface AnyOperation {
  kind: "read" | "act";
  rest: string | null;
  formerly?: readonly FormerRoute[];
  unrouted?: string;
  /** The reason why there is no procedure. */
  onlyRest?: string;
  /** The progress that its procedure reports while it runs. */
  reports?: z.ZodType;
  summary: string;
  allow: Permission;
  demand?: (input: never, services: Services) => Permission;
  forLimitedTokens?: true | ((token: TokenLimits, input: never) => boolean);
  refusesTokens?: string;
  input?: z.ZodObject | undefined;
  texts?: Readonly<Record<string, z.ZodType>>;
  sentAs?: {
    query?: z.ZodObject;
    body?: z.ZodObject;
    toInput: (context: OperationContext, fields: never) => Awaitable<object>;
  };
  body?: string;
  output?: z.ZodType | undefined;
  pagedBy?: (item: never) => string;
  status?: 201 | 204;
  idempotent?: "exec" | "run";
  findRepeated?: (services: Services, id: string) => unknown;
  hasDefinitions?: true;
  contentType?: ContentType | readonly ContentType[];
  versioned?: true | ((services: Services, input: never) => Awaitable<LastEdit | undefined>);
  download?: { type?: "application/jsonl" | "application/zip"; respond: (result: never, input: never) => Response };
  answeredAs?: {
    output: z.ZodType;
    toAnswer: (result: never, input: never, services: Services) => unknown;
    mayWait?: true;
  };
  audit?: Audit<never, never, never>;
  reply?: (context: OperationContext, result: never, input: never) => unknown;
  recordedAs?: string;
  run: (context: OperationContext, input: never) => unknown;
  cli?: CommandDeclaration<never>;
  agent?: AgentForm<never>;
}

/** An operation with its types by name, which are quick to read from it. */
export interface Operation<Kind extends "read" | "act", Input, Output> extends AnyOperation {
  kind: Kind;
  /** Carries types for the compiler; it has no value at run time. */
  types?: { input: Input; output: Output };
}

/** Changes nothing: a query in tRPC. */
export function read<
  Input extends z.ZodObject | undefined = undefined,
  Output extends z.ZodType | undefined = undefined,
>(declaration: Declaration<Input, Output>): Operation<"read", Sent<Input>, Returned<Output>> {
  return { kind: "read", ...declaration };
}

/** Changes or runs something: a mutation in tRPC, and an entry in the audit log. */
export function act<
  Input extends z.ZodObject | undefined = undefined,
  Output extends z.ZodType | undefined = undefined,
>(declaration: ActDeclaration<Input, Output>): Operation<"act", Sent<Input>, Returned<Output>> {
  return { kind: "act", ...declaration };
}

/** An operation without a procedure, since it answers in a way that only REST has, such as a stream. */
export type RestOnly = AnyOperation & { onlyRest: string };

export const restOnly = (onlyRest: string, operation: AnyOperation): RestOnly => ({ ...operation, onlyRest });

/** An operation whose procedure answers with a stream: its latest progress while it runs, then its result. */
export const reporting = <Progress, Each extends AnyOperation>(
  reports: z.ZodType<Progress>,
  operation: Each,
): Each & { reports: z.ZodType<Progress> } => ({ ...operation, reports });

export interface Operations<
  Each extends Record<string, AnyOperation> = Record<string, AnyOperation>,
  Noun extends string = string,
> {
  noun: Noun;
  /** The help of the noun's commands; absent: it has none. */
  commands?: CommandGroup | JoinedCommands;
  each: Each;
}

/** All operations of a noun. It imports neither tRPC nor a service, so that the command line starts without them. */
export function operations<const Noun extends string, Each extends Record<string, AnyOperation>>(
  noun: Noun,
  each: Each,
  commands?: CommandGroup | JoinedCommands,
): Operations<Each, Noun> {
  return { noun, each, ...(commands !== undefined && { commands }) };
}
