import type { Fault } from "@/lib/contract/envelope";
import { parsePointer } from "@/lib/json/json-pointer";
import type { ParseError } from "./arguments-state";

/** Whether a fault keeps the arguments from being sent. */
export const isError = (fault: Fault): boolean => fault.severity !== "warning";

/** The message as a complete sentence, below its field. */
export function faultText({ keyword, message }: Fault): string {
  return keyword === "required" ? "Required" : message.charAt(0).toUpperCase() + message.slice(1);
}

export const isMissing = ({ keyword }: Fault): boolean => keyword === "required";

/** Why arguments cannot be sent, in one line; null when they can be. */
export function describeBlock(broken: ParseError | null, faults: readonly Fault[]): string | null {
  if (broken !== null) return `Line ${broken.line}, column ${broken.column}: ${broken.message}`;
  const [first] = faults;
  if (first === undefined) return null;
  if (faults.length === 1) return `${first.path} ${first.message}`.trim();
  return faults.every(isMissing) ? `${faults.length} required arguments missing` : `${faults.length} invalid arguments`;
}

/** Faults by place, so that a field is handed its own part only. */
export interface FaultNode {
  own: readonly Fault[];
  children: ReadonlyMap<string, FaultNode>;
  /** Equal for equal faults: a field whose faults read the same is not drawn again. */
  signature: string;
}

const NO_FAULTS: FaultNode = { own: [], children: new Map(), signature: "" };

function build(faults: readonly { fault: Fault; tokens: readonly string[] }[], depth: number): FaultNode {
  const own: Fault[] = [];
  const groups = new Map<string, { fault: Fault; tokens: readonly string[] }[]>();
  for (const entry of faults) {
    const token = entry.tokens[depth];
    if (token === undefined) own.push(entry.fault);
    else groups.set(token, [...(groups.get(token) ?? []), entry]);
  }
  const children = new Map([...groups].map(([token, group]) => [token, build(group, depth + 1)]));
  const signature = JSON.stringify(faults.map(({ fault }) => [fault.pointer, fault.message]));
  return { own, children, signature };
}

export function faultTree(faults: readonly Fault[]): FaultNode {
  if (faults.length === 0) return NO_FAULTS;
  return build(
    faults.map((fault) => ({ fault, tokens: parsePointer(fault.pointer) })),
    0,
  );
}

export function getChildFaults(node: FaultNode, token: string | number): FaultNode {
  return node.children.get(String(token)) ?? NO_FAULTS;
}

/** Every fault below a path, without its own. */
export function faultsBeneath(node: FaultNode, isShown: (token: string) => boolean = () => false): Fault[] {
  return [...node.children].flatMap(([token, child]) =>
    isShown(token) ? [] : [...child.own, ...faultsBeneath(child)],
  );
}
