import type { Fault } from "@/lib/contract";
import { parsePointer } from "@/lib/json-schema/json-pointer";

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

export function faultsOf(node: FaultNode, token: string | number): FaultNode {
  return node.children.get(String(token)) ?? NO_FAULTS;
}

/** Every fault beneath a place, its own left out. */
export function faultsBeneath(node: FaultNode, isShown: (token: string) => boolean = () => false): Fault[] {
  return [...node.children].flatMap(([token, child]) =>
    isShown(token) ? [] : [...child.own, ...faultsBeneath(child)],
  );
}
