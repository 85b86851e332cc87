import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { guess, useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import type { CallRule } from "@/lib/contract/call-rule";
import { describeBrokenCases } from "@/lib/format/rule-case-words";

/** The order of the listed rules, and the actions that change it. */
export interface RuleOrder {
  list: RefObject<HTMLDivElement | null>;
  /** Describes the last move for screen readers. */
  news: string;
  move: (rule: CallRule, by: 1 | -1, button: string) => void;
  onKeyDown: (event: KeyboardEvent, rule: CallRule) => void;
}

/** Moves rules. The focus stays with the rule that moves. */
export function useRuleOrder(rules: readonly CallRule[], report: (problem: string | null) => void): RuleOrder {
  const list = useRef<HTMLDivElement>(null);
  const [news, setNews] = useState("");
  const [focused, setFocused] = useState<{ id: string; part: string } | null>(null);
  const moving = useAction(trpc.rules.move.mutationOptions(), {
    stale: [trpc.rules.list.queryKey(), trpc.ruleCases],
    done: ({ brokenCases }) => describeBrokenCases(brokenCases) || null,
    failed: () => "Couldn't move the rule",
    report,
    guesses: ({ id, position }) => [guess(trpc.rules.list.queryKey(), (known) => moveRule(known, id, position))],
  });
  const place = rules.findIndex(({ id }) => id === focused?.id);
  // Outside system: the keyboard focus, which a moved row may lose.
  useEffect(() => {
    if (focused === null || place === -1) return;
    const row = list.current?.querySelector(`[data-rule="${CSS.escape(focused.id)}"]`)?.closest("tr");
    const { activeElement } = document;
    if (activeElement !== document.body && !row?.contains(activeElement)) return;
    const part = row?.querySelector<HTMLElement>(`[data-part="${focused.part}"]:not(:disabled)`);
    part?.focus();
    // On a phone the buttons are in a menu.
    if (part === null || document.activeElement !== part) row?.querySelector<HTMLElement>("[data-row]")?.focus();
  }, [focused, place]);
  const move: RuleOrder["move"] = (rule, by, part) => {
    const position = rule.position + by;
    if (position < 1 || position > rules.length || moving.isPending) return;
    setFocused({ id: rule.id, part });
    setNews(`${rule.name} is at position ${position} of ${rules.length}`);
    moving.mutate({ id: rule.id, position });
  };
  const onKeyDown: RuleOrder["onKeyDown"] = (event, rule) => {
    // These keys open a select.
    const isChoice = event.target instanceof HTMLSelectElement;
    if (!event.altKey || isChoice || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(rule, event.key === "ArrowUp" ? -1 : 1, "name");
  };
  return { list, news, move, onKeyDown };
}

/** The rules with one of them at another position from 1. */
export function moveRule(rules: readonly CallRule[], id: string, position: number): CallRule[] {
  const moved = rules.find((rule) => rule.id === id);
  if (moved === undefined) return [...rules];
  const others = rules.filter((rule) => rule !== moved);
  return others.toSpliced(position - 1, 0, moved).map((rule, at) => ({ ...rule, position: at + 1 }));
}
