import type { ReactNode } from "react";
import type { JsonValue } from "@/lib/contract/json";
import type { FieldDescription } from "@/lib/schema/describe/describe-field";
import type { SchemaNode } from "@/lib/schema/resolve-ref";
import type { FaultNode } from "./fault-tree";
import type { FieldControl } from "./field-control";

export interface FieldProps {
  /** The last part of the path, in its shown form. */
  name: string;
  pointer: string;
  schema: SchemaNode;
  value: JsonValue | undefined;
  faults: FaultNode;
  depth: number;
  required?: boolean;
  /** Whether the schema does not define the field. */
  extra?: boolean;
  /** Elements and extra keys are removed instead. */
  canBeAbsent?: boolean;
  actions?: ReactNode;
}

export interface FieldBodyProps {
  field: FieldDescription;
  control: FieldControl;
  pointer: string;
  name: string;
  value: JsonValue | undefined;
  faults: FaultNode;
  depth: number;
  /** The number of choices around this one, at the same path. */
  choices?: number;
  /** Show the value as JSON text, because the field's kind cannot. */
  raw: boolean;
  clearable: boolean;
  onChange: (value: JsonValue | undefined) => void;
  onEditingRaw: (editing: boolean) => void;
}
