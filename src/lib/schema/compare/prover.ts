import type { JsonSchema } from "../../contract/json";
import type { SchemaNode } from "../resolve-ref";
import type { SchemaFacts } from "./schema-facts";

/** The document that a schema is from, of the two. */
export type Side = "before" | "after";

/** The values that several schemas of one document accept together. */
export interface Meeting {
  side: Side;
  /** The schemas, with those that their `$ref` and `allOf` add. */
  atoms: readonly JsonSchema[];
  facts: SchemaFacts;
  /** Choices of which a branch was chosen. */
  taken: readonly unknown[];
}

export interface ProofOptions {
  /** The schemas describe a part of the value, which is smaller. */
  inside?: boolean;
  /** Ignores the convention for new properties. */
  strict?: boolean;
}

/** The questions that the rule of a keyword may ask. */
export interface Prover {
  /** A new optional property of an open object counts as taking nothing away. */
  readonly lenient: boolean;
  /** Notes a property that counts as taking nothing away by that convention alone. */
  exceptNew(name: string): void;
  /** True while the schemas describe the whole value, not a part of it. */
  readonly isWhole: boolean;
  /** Whether every value that all of `inner` take is taken by `outer`, a schema of the other document. */
  contains(inner: readonly unknown[], side: Side, outer: unknown, options?: ProofOptions): boolean;
  /** Null where no value is taken. */
  meet(schemas: readonly unknown[], side: Side, taken?: readonly unknown[]): Meeting | null;
  isDisjoint(one: Meeting, other: Meeting): boolean;
  /** Returns the target of the schema's reference; null where it is unknown: outside the document, or dependent on how it is reached. */
  describeTarget(schema: JsonSchema, side: Side): SchemaNode | null;
  /** Returns the same object for equal schemas. */
  make(schema: JsonSchema): JsonSchema;
  /** Whether the document knows `unevaluated…`, `minContains` and `maxContains`. */
  isModern(side: Side): boolean;
  /** The schema with all that it refers to and consists of in every case; null where it takes nothing. */
  listAtoms(schema: unknown, side: Side): readonly JsonSchema[] | null;
  /** The schemas of the first elements of a list, and of those after them. */
  readItems(schema: JsonSchema, side: Side): { prefix: readonly unknown[]; rest: unknown };
}

export const otherSide = (side: Side): Side => (side === "before" ? "after" : "before");
