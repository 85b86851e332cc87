import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, useMemo, useState } from "react";
import { leaveOnEscape } from "@/app/_kit/leave-on-escape";
import { IconButton } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import { formatCount } from "@/lib/format";
import { decodeString, type JsonNode } from "@/lib/json-diff/json-node";
import { childAt, countChildren, ROOT_ID } from "./tree-rows";

interface TreeSearchProps {
  root: JsonNode;
  /** Accessible name of the tree. */
  label: string;
  /** Opens the containers of a row, and selects it. */
  onReveal: (id: string) => void;
  onClose: () => void;
}

/** Goes from match to match: Enter to the next, Shift+Enter back. */
export function TreeSearch({ root, label, onReveal, onClose }: TreeSearchProps) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const matches = useMemo(() => findInTree(root, text), [root, text]);

  function show(next: number, among: readonly string[] = matches): void {
    const index = (next + among.length) % Math.max(among.length, 1);
    const id = among[index];
    setAt(index);
    if (id !== undefined) onReveal(id);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Enter") return;
    show(event.shiftKey ? at - 1 : at + 1);
    event.preventDefault();
  }

  const total = `${formatCount(matches.length)}${matches.length === MAX_MATCHES ? "+" : ""}`;
  return (
    <search className="flex items-center gap-1" {...leaveOnEscape(onClose)}>
      <Input
        type="search"
        // The user has just requested the field.
        autoFocus
        aria-label={`Search in ${label.toLowerCase()}`}
        placeholder="Search keys and values"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          show(0, findInTree(root, target.value));
        }}
        onKeyDown={onKeyDown}
        className="max-w-80"
      />
      <span role="status" className="whitespace-nowrap px-1 text-mute text-xs tabular-nums">
        {text.trim() !== "" && (matches.length === 0 ? "No matches" : `${at + 1} of ${total}`)}
      </span>
      <IconButton
        icon={ChevronUp}
        label="Previous match"
        disabled={matches.length === 0}
        onClick={() => show(at - 1)}
      />
      <IconButton icon={ChevronDown} label="Next match" disabled={matches.length === 0} onClick={() => show(at + 1)} />
      <IconButton icon={X} label="Close search" onClick={onClose} />
    </search>
  );
}

/** More matches than this are not counted. */
const MAX_MATCHES = 1_000;

/** Ids of the rows whose key or value holds a text, in any case, from top to bottom. */
function findInTree(root: JsonNode, text: string): string[] {
  const wanted = text.trim().toLowerCase();
  const found: string[] = [];
  if (wanted === "") return found;
  const holds = (value: string): boolean => value.toLowerCase().includes(wanted);

  function visit(node: JsonNode, id: string, label: string | number | null): void {
    if (found.length >= MAX_MATCHES) return;
    const count = countChildren(node);
    const value = node.kind === "string" ? decodeString(node.raw) : "raw" in node ? node.raw : null;
    if ((typeof label === "string" && holds(label)) || (value !== null && holds(value))) found.push(id);
    for (let index = 0; index < count; index += 1) {
      const child = childAt(node, index);
      if (child) visit(child.node, `${id}.${index}`, child.label);
    }
  }

  visit(root, ROOT_ID, null);
  return found;
}
